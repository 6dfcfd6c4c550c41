import BudgetThrottle

let day: Int64 = 86_400_000
let token = BudgetRate.unitsPerToken

extension LedgerTime {
  /// Some instant of a usual ledger, and `offset` milliseconds.
  static func at(_ offset: Int64) -> LedgerTime { LedgerTime(milliseconds: 1_772_000_000_000 + offset) }
}

extension BudgetPolicy {
  static func limit(_ limit: Int, burst: Int? = nil, interval: Int64 = 0, mode: Mode = .enforce) -> BudgetPolicy {
    BudgetPolicy(mode: mode, refreshesPerDay: limit, burst: burst, minimumInterval: interval)
  }
}

extension BudgetCell {
  /// Charges at once as often as whole tokens allow, and says how often that was.
  mutating func spend(at now: LedgerTime, under policy: BudgetPolicy) -> Int {
    var count = 0
    while admission(at: now, under: policy).at <= now {
      charge(at: now, under: policy)
      count += 1
    }
    return count
  }
}
