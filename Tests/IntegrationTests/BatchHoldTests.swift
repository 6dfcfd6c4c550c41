import Testing

@testable import PushGateway

/// What this protects: a push that comes alone waits for nobody, and those that come together share a commit.
@Suite("A batch that waits for company") struct BatchHoldTests {
  private enum Turn { case busy, quiet, empty }

  /// Whether the batch was held at the end of each turn.
  private func play(_ turns: [(Turn, at: Int64)]) -> [Bool] {
    var hold = BatchHold()
    return turns.map { turn, now in hold.holds(isEmpty: turn == .empty, isQuiet: turn == .quiet, at: now) }
  }

  @Test("It waits while turns bring more, and not when one brings nothing")
  func company() {
    #expect(play([(.busy, 10), (.busy, 20), (.quiet, 30), (.quiet, 40)]) == [true, true, false, false])
  }

  @Test("However much more comes, it waits for no longer than that, and the next one anew")
  func bound() {
    let longest = BatchHold.longest
    let turns: [(Turn, at: Int64)] = [
      (.busy, 0), (.busy, longest - 1), (.busy, longest), (.busy, longest + 1), (.busy, 2 * longest),
      (.busy, 2 * longest + 1),
    ]
    #expect(play(turns) == [true, true, false, true, true, false])
  }

  @Test("Without a batch there is nothing to wait with, and its time does not begin")
  func empty() {
    #expect(play([(.empty, 0), (.busy, BatchHold.longest), (.busy, BatchHold.longest + 1)]) == [false, true, true])
  }
}
