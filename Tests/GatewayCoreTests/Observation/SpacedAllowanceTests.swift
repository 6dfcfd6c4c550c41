import BudgetThrottle
import GatewayCore
import SeededRandom
import Testing

/// Protects everybody on a loop from one client's signature checks.
@Suite("Spaced allowance") struct SpacedAllowanceTests {
  private static let sample = ProviderSession.signatureAllowance
  private static let burst = Int(Self.sample.burst)

  @Test("A burst is granted at once, then one check in each spacing; the wait that is told is enough and not too long")
  func burst() {
    var allowance = Self.sample
    var now = LedgerTime(milliseconds: 1000)
    for _ in 0..<Self.burst { #expect(allowance.spend(at: now) == nil) }
    for _ in 0..<10 {
      let wait = allowance.spend(at: now)
      #expect(wait == 1)
      now = now.advanced(byMilliseconds: 1000)
      #expect(allowance.spend(at: now) == nil)
    }
  }

  @Test("What was refused costs nothing, and a rest brings back the burst and no more")
  func rest() {
    var allowance = Self.sample
    var now = LedgerTime(milliseconds: 0)
    for _ in 0..<1000 { _ = allowance.spend(at: now) }
    now = now.advanced(byMilliseconds: Self.sample.spacing)
    #expect(allowance.spend(at: now) == nil)
    #expect(allowance.spend(at: now) != nil)
    now = now.advanced(byMilliseconds: 86_400_000)
    #expect((0..<100).count { _ in allowance.spend(at: now) == nil } == Self.burst)
  }

  @Test("No second holds more than the burst and one, however a client spreads its tokens", arguments: [1, 2, 3])
  func everyWindow(seed: UInt64) {
    var allowance = Self.sample
    var random = SeededGenerator(seed: seed)
    var now = LedgerTime(milliseconds: 0)
    var granted: [LedgerTime] = []
    for _ in 0..<5000 {
      now = now.advanced(byMilliseconds: Int64.random(in: 0...400, using: &random))
      if allowance.spend(at: now) == nil { granted.append(now) }
    }
    for (index, start) in granted.enumerated() {
      let within = granted[index...].prefix { $0.milliseconds(since: start) < 1000 }.count
      #expect(within <= Self.burst + 1)
    }
    #expect(granted.count <= Self.burst + Int(now.milliseconds / Self.sample.spacing) + 1)
  }
}
