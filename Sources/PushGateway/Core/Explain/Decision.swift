package import BudgetThrottle
package import TokenStore

/// What was decided about some widgets of one registration, for those who ask why a widget did or did not refresh.
package struct Decision: Hashable, Sendable {
  package enum Outcome: Hashable, Sendable {
    /// The push was accepted and marked these widgets.
    case marked
    /// `grant` is the place in the audit of what lifted the budget, where developer mode did.
    case handedOver(RefreshDecision.Toll, EventID, grant: Int? = nil)
    case sentAgain(EventID)
    case deferred(RefreshDecision.Cause, until: LedgerTime)
    /// A newer push took this one's place before it was handed over.
    case superseded(by: UInt64)
    /// Expiration 0, and no hand-over was possible at once.
    case dropped(RefreshDecision.Cause)
    case expired
    case received
    /// The same `apns-id` again: nothing was marked.
    case duplicate
    /// The widget or its app was removed while marked.
    case removed
    /// Over budget with `over-budget = "reject"`.
    case rejected(until: LedgerTime)
  }

  /// Which push it is about.
  package struct Push: Hashable, Sendable {
    /// 0 for a push that was refused.
    package var number: UInt64
    package var id: PushID

    package init(number: UInt64, id: PushID) {
      self.number = number
      self.id = id
    }
  }

  package var at: LedgerTime
  package var registration: UInt64
  package var push: Push
  package var widgets: WidgetSet
  package var outcome: Outcome

  package init(at: LedgerTime, registration: UInt64, push: Push, widgets: WidgetSet, outcome: Outcome) {
    self.at = at
    self.registration = registration
    self.push = push
    self.widgets = widgets
    self.outcome = outcome
  }
}
