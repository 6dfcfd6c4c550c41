package import BudgetThrottle

/// What of the configuration the ledger decides by. Changed as a whole by a reload.
package struct LedgerRules: Hashable, Sendable {
  package var budget: BudgetPolicySet
  package var developerMode: DeveloperModeRules
  /// Milliseconds.
  package var lowPriorityWindow: Int64
  /// How long a mark, and the memory of a retired token, lasts at most; milliseconds.
  package var retention: Int64
  /// 0 = no limit.
  package var pushesPerTokenPerMinute: Int
  package var explain: ExplainRules

  package init(
    budget: BudgetPolicySet = BudgetPolicySet(), developerMode: DeveloperModeRules = DeveloperModeRules(),
    lowPriorityWindow: Int64 = 2000, retention: Int64 = 30 * 86_400_000, pushesPerTokenPerMinute: Int = 600,
    explain: ExplainRules = ExplainRules()
  ) {
    self.budget = budget
    self.developerMode = developerMode
    self.lowPriorityWindow = lowPriorityWindow
    self.retention = retention
    self.pushesPerTokenPerMinute = pushesPerTokenPerMinute
    self.explain = explain
  }
}
