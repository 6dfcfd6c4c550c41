import BudgetThrottle
import Testing

/// Protects that no date, however far, traps or comes round from the other side.
@Suite("Ledger time") struct LedgerTimeTests {
  @Test("Going far ahead ends at the distant future, far back at the distant past")
  func saturates() {
    let usual = LedgerTime.at(0)
    #expect(usual.advanced(byMilliseconds: .max) == .distantFuture)
    #expect(LedgerTime.distantFuture.advanced(byMilliseconds: 1) == .distantFuture)
    #expect(LedgerTime.distantPast.advanced(byMilliseconds: -1) == .distantPast)
    #expect(LedgerTime(milliseconds: -5).advanced(byMilliseconds: .min) == .distantPast)
    #expect(usual.advanced(byMilliseconds: 7).milliseconds(since: usual) == 7)
  }

  @Test("Differences saturate with their sign")
  func differences() {
    #expect(LedgerTime.distantFuture.milliseconds(since: .distantPast) == .max)
    #expect(LedgerTime.distantPast.milliseconds(since: .distantFuture) == .min)
    #expect(LedgerTime.at(0).milliseconds(since: .distantPast) == .max)
    #expect(LedgerTime.distantPast.milliseconds(since: .at(0)) == .min)
    #expect(LedgerTime.distantFuture.milliseconds(since: .distantFuture) == 0)
  }
}
