import BudgetThrottle
import GatewayCore
import SeededRandom
import TokenStore

extension Simulation {
  /// Small limits most of the time, where every edge is near.
  static func anyRules(_ random: inout SeededGenerator) -> LedgerRules {
    var rules = LedgerRules()
    rules.budget.standard = anyPolicy(&random)
    rules.budget.overBudget = random.oneIn(3) ? .reject : .defer
    for _ in 0..<Int.random(in: 0...4, using: &random) {
      var override = BudgetPolicySet.Override(
        bundleID: random.oneIn(3) ? apps.randomElement(using: &random)?.description : nil,
        kind: random.oneIn(2) ? kinds.randomElement(using: &random) : nil,
        family: random.oneIn(3) ? families.randomElement(using: &random)?.rawValue : nil,
        platform: random.oneIn(4) ? "watchOS" : nil)
      let policy = anyPolicy(&random)
      if !random.oneIn(3) { override.mode = policy.mode }
      if !random.oneIn(4) {
        override.refreshesPerDay = policy.refreshesPerDay
        if random.oneIn(2) { override.burst = policy.burst }
      }
      override.minimumInterval = random.oneIn(2) ? policy.minimumInterval : nil
      rules.budget.overrides.append(override)
      if override.weight == 0 || rules.budget.firstTie() != nil { rules.budget.overrides.removeLast() }
    }
    rules.explain = ExplainRules(
      production: random.oneIn(2), decisions: random.oneIn(4) ? 0 : 64,
      retention: random.oneIn(2) ? 3_600_000 : 7 * day)
    rules.developerMode.allowed = !random.oneIn(5)
    rules.lowPriorityWindow = [0, 2000, 60_000].randomElement(using: &random) ?? 2000
    rules.retention = [3_600_000, 40 * 3_600_000, 30 * day].randomElement(using: &random) ?? day
    rules.pushesPerTokenPerMinute = random.oneIn(4) ? 2 : 0
    return rules
  }

  private static func anyPolicy(_ random: inout SeededGenerator) -> BudgetPolicy {
    let limit = random.oneIn(5) ? 50 : Int.random(in: 1...8, using: &random)
    return BudgetPolicy(
      mode: random.oneIn(8) ? .shadow : random.oneIn(8) ? .off : .enforce, refreshesPerDay: limit,
      burst: random.oneIn(4) ? nil : Int.random(in: 1...max(1, limit - 1), using: &random),
      minimumInterval: random.oneIn(3) ? 300_000 : 0)
  }
}
