import BudgetThrottle

/// What of the rules each push asks: plain values, beside the lists that a reload compares.
struct RulesGist: BitwiseCopyable {
  var explain: ExplainRules
  /// What holds for a policy's number that is none; see ``Ledger/policy(_:)``.
  var standardPolicy: BudgetPolicy
  var rejectsOverBudget: Bool
  var lowPriorityWindow: Int64
  var retention: Int64
  var pushesPerTokenPerMinute: Int

  init(_ rules: LedgerRules) {
    explain = rules.explain
    standardPolicy = rules.budget.standard
    rejectsOverBudget = rules.budget.overBudget == .reject
    lowPriorityWindow = rules.lowPriorityWindow
    retention = rules.retention
    pushesPerTokenPerMinute = rules.pushesPerTokenPerMinute
  }
}
