package import BudgetThrottle
package import TokenStore

/// The budget of a widget that was removed. It stays until it would be full, so that removing a widget and adding it
/// again is no fresh burst.
package struct LeftCell: Hashable, Sendable {
  package var kind: String
  package var family: WidgetFamily
  package var cell: BudgetCell

  package init(kind: String, family: WidgetFamily, cell: BudgetCell) {
    self.kind = kind
    self.family = family
    self.cell = cell
  }
}
