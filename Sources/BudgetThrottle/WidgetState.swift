/// All that the ledger knows of one widget, put together for whoever looks at one. Constant in size, whatever the rate
/// of pushes; how a ledger of millions keeps it is another matter.
package struct WidgetState: Hashable, Sendable {
  package var account: WidgetAccount
  package var mark: Mark?
  package var inFlight: InFlight?

  package init(_ account: WidgetAccount, mark: Mark? = nil, inFlight: InFlight? = nil) {
    self.account = account
    self.mark = mark
    self.inFlight = inFlight
  }

  package var cell: BudgetCell {
    get { account.cell }
    set { account.cell = newValue }
  }

  package var policy: UInt32 {
    get { account.policy }
    set { account.policy = newValue }
  }

  package var lastNumber: UInt64 { account.lastNumber }

  /// Pure: asking changes nothing.
  package func decide(
    at now: LedgerTime, under policy: BudgetPolicy, given conditions: DeliveryConditions
  ) -> RefreshDecision {
    mark?.decide(with: account.cell, at: now, under: policy, given: conditions) ?? .none
  }
}
