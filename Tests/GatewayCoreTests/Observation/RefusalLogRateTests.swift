import BudgetThrottle
import GatewayCore
import Testing

/// Protects the log from a client gone wild, and its reader from believing that there was no more.
@Suite("Rate of lines about refused pushes") struct RefusalLogRateTests {
  private static let burst = Int(RefusalLogRate.allowance.burst)

  @Test("The first lines are written at once, then one in each spacing, which says how many were left out")
  func suppression() {
    var rate = RefusalLogRate()
    var now = LedgerTime(milliseconds: 0)
    for _ in 0..<Self.burst { #expect(rate.admit(.badTopic, at: now) == 0) }
    for _ in 0..<7 { #expect(rate.admit(.badTopic, at: now) == nil) }
    now = now.advanced(byMilliseconds: RefusalLogRate.allowance.spacing)
    #expect(rate.admit(.badTopic, at: now) == 7)
    #expect(rate.admit(.badTopic, at: now) == nil)
    now = now.advanced(byMilliseconds: RefusalLogRate.allowance.spacing)
    #expect(rate.admit(.badTopic, at: now) == 1)
    now = now.advanced(byMilliseconds: RefusalLogRate.allowance.spacing)
    #expect(rate.admit(.badTopic, at: now) == 0)
  }

  @Test("A flood of one reason hides no other", arguments: RejectionReason.allCases)
  func reasonsApart(reason: RejectionReason) {
    var rate = RefusalLogRate()
    let now = LedgerTime(milliseconds: 5)
    for other in RejectionReason.allCases where other != reason {
      for _ in 0..<100 { _ = rate.admit(other, at: now) }
    }
    for _ in 0..<Self.burst { #expect(rate.admit(reason, at: now) == 0) }
    #expect(rate.admit(reason, at: now) == nil)
  }

  @Test("The end of a flood is told once, by reason; no refusal is told twice and none is lost")
  func remainder() {
    var rate = RefusalLogRate()
    let now = LedgerTime(milliseconds: 5)
    for _ in 0..<(Self.burst + 3) { _ = rate.admit(.badTopic, at: now) }
    for _ in 0..<(Self.burst + 1) { _ = rate.admit(.unregistered, at: now) }
    _ = rate.admit(.shutdown, at: now)
    let taken = rate.takeSuppressed()
    #expect(taken.map(\.reason) == [.badTopic, .unregistered])
    #expect(taken.map(\.count) == [3, 1])
    #expect(rate.takeSuppressed().isEmpty)
    #expect(rate.admit(.badTopic, at: now.advanced(byMilliseconds: RefusalLogRate.allowance.spacing)) == 0)
  }
}
