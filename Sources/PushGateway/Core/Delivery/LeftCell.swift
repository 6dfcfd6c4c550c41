package import BudgetThrottle
package import TokenStore

/// The budget of a widget that was removed. It stays until a full one would be no different, so that removing a widget
/// and adding it again is no fresh burst.
package struct LeftCell: Hashable, Sendable {
  package var kind: String
  package var family: WidgetFamily
  package var cell: BudgetCell
  /// As ``WidgetAccount/policy``: not stored, and changes with the rules, so that a cell earns nothing twice over while
  /// it lies here.
  package var policy: UInt32

  package init(kind: String, family: WidgetFamily, cell: BudgetCell, policy: UInt32 = 0) {
    self.kind = kind
    self.family = family
    self.cell = cell
    self.policy = policy
  }
}
