/// What is remembered of a widget also while nothing marks it and nothing is on its way to it.
package struct WidgetAccount: Hashable, Sendable {
  package var cell: BudgetCell
  /// The newest push that this widget has seen, also one that was dropped.
  package var lastNumber: UInt64
  /// Index of the widget's policy in the ledger's table; not stored, looked up anew at every start.
  package var policy: UInt32

  package init(cell: BudgetCell, policy: UInt32, lastNumber: UInt64 = 0) {
    self.cell = cell
    self.policy = policy
    self.lastNumber = lastNumber
  }
}
