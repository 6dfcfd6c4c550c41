import BudgetThrottle
import Testing

/// Protects exactness, without chance: small limits, and every pattern of attempts on a grid of times, against the
/// definition in other words. A hand-over may be charged at t if for each charge at s before it, those of [s, t]
/// with the new one are at most b + (L − b)·(t − s)/day; with L = 1, if the last one is more than a day ago.
@Suite("Every pattern of attempts") struct BudgetExhaustionTests {
  private static let slots = 11

  struct Limits: Sendable, CustomStringConvertible {
    var limit: Int
    var burst: Int
    var description: String { "L = \(limit), b = \(burst)" }

    static let small =
      [Limits(limit: 1, burst: 1)]
      + (2...5).flatMap { limit in (1..<limit).map { Limits(limit: limit, burst: $0) } }
  }

  private static func isAllowed(_ now: Int64, after charges: [Int64], _ limits: Limits) -> Bool {
    guard limits.limit > 1 else { return charges.last.map { now - $0 > day } ?? true }
    for (place, start) in charges.enumerated() {
      let count = Int64(charges.count - place + 1)
      if count * day > Int64(limits.burst) * day + Int64(limits.limit - limits.burst) * (now - start) { return false }
    }
    return limits.burst > 0
  }

  @Test(
    "A cell admits what the definition admits, at every instant, and no closed window holds more than L",
    arguments: Limits.small)
  func everyPattern(limits: Limits) {
    let policy = BudgetPolicy.limit(limits.limit, burst: limits.burst)
    // Half a token's time, so that whole tokens fall on the grid, and a millisecond beside it on both sides.
    let half = day / Int64(max(1, limits.limit - limits.burst)) / 2
    for grid in [half - 1, half, half + 1, day / 7] {
      for pattern in 0..<(1 << Self.slots) {
        var cell = BudgetCell.full(under: policy, at: .at(0))
        var charges: [Int64] = []
        for slot in 0..<Self.slots where pattern & (1 << slot) != 0 {
          let now = Int64(slot) * grid
          let isAdmitted = cell.admission(at: .at(now), under: policy).at <= .at(now)
          if isAdmitted != Self.isAllowed(now, after: charges, limits) {
            Issue.record("\(limits), charges \(charges): admitted at \(now): \(isAdmitted)")
            return
          }
          guard isAdmitted else { continue }
          cell.charge(at: .at(now), under: policy)
          charges.append(now)
          let window = charges.reversed().prefix { now - $0 <= day }.count
          if window > limits.limit { Issue.record("\(limits): \(window) in the day before \(now), of \(charges)") }
        }
      }
    }
  }

  @Test(
    "Across two changes of policy, at every place of them, a window holds at most the larger b and the larger L − b",
    arguments: Limits.small.filter { $0.limit <= 4 })
  func everyChange(limits: Limits) {
    let slots = 8
    for other in Limits.small where other.limit <= 4 {
      let policies = [limits, other].map { BudgetPolicy.limit($0.limit, burst: $0.burst) }
      let refill = [limits, other].map { $0.limit - $0.burst }.max() ?? 0
      let bound = max(limits.burst, other.burst) + refill
      for grid in [day / 7, day / Int64(max(1, refill)) / 2] {
        for run in 0..<(slots << slots) {
          let (change, pattern) = (run >> slots, run & (1 << slots) - 1)
          var (cell, current) = (BudgetCell.full(under: policies[0], at: .at(0)), 0)
          var charges: [Int64] = []
          for slot in 0..<slots {
            let now = LedgerTime.at(Int64(slot) * grid)
            // There, and back two slots later.
            if slot == change || slot == change + 2 {
              cell.adopt(policies[1 - current], from: policies[current], at: now)
              current = 1 - current
            }
            guard pattern & (1 << slot) != 0, cell.admission(at: now, under: policies[current]).at <= now else {
              continue
            }
            cell.charge(at: now, under: policies[current])
            charges.append(now.milliseconds)
            let window = charges.reversed().prefix { now.milliseconds - $0 <= day }.count
            if window > bound {
              Issue.record("\(limits), then \(other) at \(change): \(charges) of at most \(bound) in a day")
              return
            }
          }
        }
      }
    }
  }
}
