import Testing

@testable import PushGateway

/// What this protects: a push that comes alone waits for nobody, and those that come together share a commit.
@Suite("A batch that waits for company") struct BatchHoldTests {
  private enum Turn { case busy, quiet, empty }

  /// Whether the batch was held at the end of each turn, which began when the one before it ended.
  private func play(_ turns: [(Turn, until: Int64)]) -> [Bool] {
    var hold = BatchHold()
    var begun: Int64 = 0
    return turns.map { turn, end in
      defer { begun = end }
      return hold.hold(isEmpty: turn == .empty, isQuiet: turn == .quiet, begun: begun, now: end)
    }
  }

  @Test("It waits while turns bring more, and not when one brings nothing")
  func company() {
    #expect(play([(.busy, 10), (.busy, 20), (.quiet, 30), (.quiet, 40)]) == [true, true, false, false])
  }

  @Test("However much more comes, it waits for no longer than that, and the next one anew")
  func bound() {
    let longest = BatchHold.longest
    let turns: [(Turn, until: Int64)] = [
      (.busy, 1), (.busy, longest - 1), (.busy, longest), (.busy, longest + 1), (.busy, 2 * longest - 1),
      (.busy, 2 * longest),
    ]
    #expect(play(turns) == [true, true, false, true, true, false])
  }

  @Test("A turn that took long is followed by no wait")
  func longTurn() {
    #expect(play([(.busy, BatchHold.longest), (.busy, BatchHold.longest + 1)]) == [false, true])
  }

  @Test("Without a batch there is nothing to wait with, and its time does not begin")
  func empty() {
    let longest = BatchHold.longest
    #expect(play([(.empty, longest), (.busy, longest + 1), (.busy, longest + 2)]) == [false, true, true])
  }
}
