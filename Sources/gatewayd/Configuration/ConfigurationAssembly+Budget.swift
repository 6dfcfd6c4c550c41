import BudgetThrottle
import GatewayCore

/// Budgets and their overrides.
extension ConfigurationAssembly {
  mutating func budget() -> BudgetPolicySet {
    let content = first(.budget) ?? SectionContent(section: .budget, line: 0)
    let limit = content.number(.budgetRefreshesPerDay) ?? 50
    let standard = BudgetPolicy(
      mode: content.choice(.budgetMode) ?? .enforce, refreshesPerDay: limit, burst: content.number(.budgetBurst),
      minimumInterval: content.milliseconds(.budgetMinimumInterval) ?? 0)
    if content.number(.budgetBurst) != nil { checkBurst(standard, .budgetBurst, in: content) }
    var set = BudgetPolicySet(standard: standard, overBudget: content.choice(.budgetOverBudget) ?? .defer)
    let overrides = all(.budgetOverride)
    for content in overrides { set.overrides.append(budgetOverride(content, standard: standard)) }
    if let (earlier, later) = set.firstTie() {
      refuse(
        overrides[later].line, nil,
        "budget.override: names the same widgets as the override of line \(overrides[earlier].line); which of them "
          + "counts would be chance")
    }
    return set
  }

  private mutating func budgetOverride(
    _ content: SectionContent, standard: BudgetPolicy
  ) -> BudgetPolicySet.Override {
    var override = BudgetPolicySet.Override(
      bundleID: content.text(.overrideBundleID), kind: content.text(.overrideKind),
      family: content.text(.overrideFamily), platform: content.text(.overridePlatform))
    override.mode = content.choice(.overrideMode)
    override.refreshesPerDay = content.number(.overrideRefreshesPerDay)
    override.burst = content.number(.overrideBurst)
    override.minimumInterval = content.milliseconds(.overrideMinimumInterval)
    guard content.faulty.isEmpty else { return override }
    if override.weight == 0 {
      refuse(
        content.line, nil,
        "budget.override: expected at least one of bundle-id, kind, family and platform; what is for all widgets "
          + "belongs to [budget]")
    }
    let policy = override.applied(to: standard)
    if policy == standard, override.burst == nil, override.refreshesPerDay == nil, override.mode == nil,
      override.minimumInterval == nil
    {
      refuse(
        content.line, nil,
        "budget.override: changes nothing; expected at least one of mode, refreshes-per-day, burst and "
          + "minimum-interval")
    }
    checkBurst(policy, .overrideBurst, in: content)
    return override
  }

  /// Design §4: the bucket refills at L − b a day, so a burst of L would never come back.
  private mutating func checkBurst(_ policy: BudgetPolicy, _ key: ConfigurationKey, in content: SectionContent) {
    let limit = policy.refreshesPerDay
    guard policy.burst >= limit, limit > 1 || policy.burst > 1 else { return }
    let range = limit <= 2 ? "1" : "a whole number from 1 to \(limit - 1)"
    refuse(
      key, in: content,
      "expected \(range), below the \(limit) refreshes-per-day that hold for it, got \(policy.burst)")
  }
}
