import BudgetThrottle
import SeededRandom
import Testing

/// Protects the promise of design §4: under one policy no closed window of 24 h holds more than L charged hand-overs of
/// one widget; across changes of policy at most the largest b plus the largest L − b.
@Suite("No window over budget") struct BudgetWindowTests {
  /// The most charges that any closed window of 24 h holds.
  private static func fullestWindow(_ charges: [LedgerTime]) -> Int {
    charges.indices.map { first in
      charges[first...].prefix { $0.milliseconds(since: charges[first]) <= day }.count
    }.max() ?? 0
  }

  /// Steps that look for the edges: nothing, a millisecond, the announced instant and its neighbours, 24 h after an
  /// earlier charge, and anything.
  private static func step(
    from now: LedgerTime, _ cell: BudgetCell, under policy: BudgetPolicy, after charges: [LedgerTime],
    _ random: inout SeededGenerator
  ) -> LedgerTime {
    let admission = cell.admission(at: now, under: policy).at
    let next: LedgerTime
    switch Int.random(in: 0..<8, using: &random) {
    case 0: next = now
    case 1: next = now.advanced(byMilliseconds: 1)
    case 2, 3: next = admission
    case 4: next = admission.advanced(byMilliseconds: .random(in: -1...1, using: &random))
    case 5: next = charges.randomElement(using: &random)?.advanced(byMilliseconds: day) ?? now
    case 6: next = now.advanced(byMilliseconds: .random(in: 0...day / 12, using: &random))
    default: next = now.advanced(byMilliseconds: .random(in: 0...3 * day, using: &random))
    }
    return max(now, next)
  }

  private static func anyPolicy(_ random: inout SeededGenerator) -> BudgetPolicy {
    let limit = random.oneIn(4) ? 1 : Int.random(in: 1...12, using: &random)
    let burst = random.oneIn(2) ? max(1, limit - 1) : Int.random(in: 1...max(1, limit - 1), using: &random)
    return .limit(limit, burst: burst, interval: random.oneIn(3) ? .random(in: 1...day / 20, using: &random) : 0)
  }

  @Test("Whatever the times, a window holds at most L charged hand-overs", arguments: Seeds.usual(150))
  func onePolicy(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let policy = Self.anyPolicy(&random)
    var cell = BudgetCell.full(under: policy, at: .at(0))
    var (now, charges) = (LedgerTime.at(0), [LedgerTime]())
    for _ in 0..<400 {
      now = Self.step(from: now, cell, under: policy, after: charges, &random)
      guard cell.admission(at: now, under: policy).at <= now else { continue }
      if let last = charges.last { #expect(now.milliseconds(since: last) >= policy.minimumInterval) }
      cell.charge(at: now, under: policy)
      charges.append(now)
    }
    #expect(charges.count > 10)
    #expect(Self.fullestWindow(charges) <= policy.refreshesPerDay, "\(policy)")
  }

  @Test(
    "A widget that takes what it may gets all of it: L in a window",
    arguments: [(1, 1), (2, 1), (3, 2), (5, 4), (7, 1), (12, 6), (50, 4), (50, 49)])
  func greedy(limit: Int, burst: Int) {
    let policy = BudgetPolicy.limit(limit, burst: burst)
    var cell = BudgetCell.full(under: policy, at: .at(0))
    var (now, charges) = (LedgerTime.at(0), [LedgerTime]())
    while now <= .at(3 * day) {
      cell.charge(at: now, under: policy)
      charges.append(now)
      now = cell.admission(at: now, under: policy).at
    }
    #expect(Self.fullestWindow(charges) == limit)
  }

  @Test(
    "Across changes of policy a window holds at most the largest b plus the largest L − b", arguments: Seeds.usual(150))
  func changingPolicies(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let policies = (0..<Int.random(in: 2...4, using: &random)).map { _ in Self.anyPolicy(&random) }
    var policy = policies[0]
    var cell = BudgetCell.full(under: policy, at: .at(0))
    var (now, charges) = (LedgerTime.at(0), [LedgerTime]())
    for _ in 0..<600 {
      now = Self.step(from: now, cell, under: policy, after: charges, &random)
      if random.oneIn(5) {
        let next = policies.randomElement(using: &random) ?? policy
        let before = cell.remaining(at: now, under: policy)
        cell.adopt(next, from: policy, at: now)
        #expect(cell.remaining(at: now, under: next) <= before, "no change mints a token: \(policy) to \(next)")
        policy = next
      }
      guard cell.admission(at: now, under: policy).at <= now else { continue }
      cell.charge(at: now, under: policy)
      charges.append(now)
    }
    let bursts = policies.map { $0.refreshesPerDay == 1 ? 1 : $0.burst }
    let refills = zip(policies, bursts).map { $0.refreshesPerDay - $1 }
    #expect(Self.fullestWindow(charges) <= (bursts.max() ?? 0) + (refills.max() ?? 0), "\(policies)")
  }
}
