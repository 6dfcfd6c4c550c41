package import BudgetThrottle
package import TokenStore

/// One thing that was decided about one widget of a device, as `explain` tells it.
package struct DeviceDecision: Equatable, Sendable {
  package enum Outcome: String, CaseIterable, Sendable {
    /// Handed over, and charged to the widget's budget.
    case sent
    /// Handed over, and not charged: the budgets of this widget are off.
    case uncounted
    /// Handed over, and not charged: foreground, audio or navigation.
    case exempt
    /// Handed over, and not charged: developer mode.
    case bypassed
    /// Handed over again after a reconnect, and not charged.
    case resent
    /// Still marked; `waits` says what for.
    case deferred
    /// A newer push took its place before it could be handed over.
    case superseded
    /// Had an expiration of 0 and could not be handed over at once.
    case dropped
    /// Its expiration passed before it could be handed over.
    case expired
    /// The device confirmed it.
    case received
    /// The widget, its app or its device left.
    case removed
  }

  package var time: UnixTime
  package var app: BundleID
  package var push: PushID
  package var widget: Widget
  package var outcome: Outcome
  /// The event that carried it.
  package var event: EventID?
  package var waits: RefreshDecision.Cause?
  /// When the wait ends, where that is a matter of time.
  package var until: UnixTime?

  package init(
    time: UnixTime, app: BundleID, push: PushID, widget: Widget, outcome: Outcome, event: EventID? = nil,
    waits: RefreshDecision.Cause? = nil, until: UnixTime? = nil
  ) {
    self.time = time
    self.app = app
    self.push = push
    self.widget = widget
    self.outcome = outcome
    self.event = event
    self.waits = waits
    self.until = until
  }
}

extension RefreshDecision.Cause {
  /// The word for it in answers.
  package var word: StaticString {
    switch self {
    case .budget: "budget"
    case .minimumInterval: "minimum-interval"
    case .lowPriority: "low-priority"
    case .asleep: "asleep"
    case .away: "away"
    case .busy: "busy"
    }
  }
}
