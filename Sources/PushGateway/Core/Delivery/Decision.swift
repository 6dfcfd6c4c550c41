package import BudgetThrottle
import TokenStore

/// What was decided about some widgets of one registration, for those who ask why a widget did or did not refresh.
package struct Decision: Hashable, Sendable {
  package enum Outcome: Hashable, Sendable {
    /// The push was accepted and marked these widgets.
    case marked
    case handedOver(RefreshDecision.Toll, EventID)
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

  package var at: LedgerTime
  package var registration: UInt64
  package var push: PushContent
  package var widgets: WidgetSet
  package var outcome: Outcome
}
