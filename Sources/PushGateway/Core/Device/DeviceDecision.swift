package import BudgetThrottle
package import TokenStore

/// A ``Decision`` as `explain` tells it to its device: in wall time, and with widgets in place of their numbers.
package struct DeviceDecision: Equatable, Sendable {
  package enum Outcome: String, CaseIterable, Sendable {
    /// A push was accepted and marked these widgets.
    case marked
    /// Handed over, and charged to the widgets' budgets.
    case sent
    /// Handed over in shadow mode: charged, but never withheld.
    case counted
    /// Handed over, and not charged: budgets are off.
    case uncounted
    /// Handed over, and not charged: foreground, audio or navigation.
    case exempt
    /// Handed over, and not charged: developer mode.
    case bypassed
    /// Handed over again after a reconnect, and not charged again.
    case resent
    /// Still marked; `waits-for` says what for.
    case deferred
    /// A newer push took its place before it was handed over.
    case superseded
    /// Had an expiration of 0 and could not be handed over at once.
    case dropped
    /// Its expiration passed before it was handed over.
    case expired
    /// The device confirmed it.
    case received
    /// The same `apns-id` again: nothing was marked.
    case duplicate
    /// Widget or app were removed while marked.
    case removed
    /// The provider was answered 429, and nothing was marked.
    case rejected

    init(_ toll: RefreshDecision.Toll) {
      self =
        switch toll {
        case .charged: .sent
        case .counted: .counted
        case .uncounted: .uncounted
        case .exempt: .exempt
        case .bypassed: .bypassed
        }
    }
  }

  package var time: UnixTime
  package var app: BundleID
  package var push: PushID
  package var widgets: [Widget]
  package var outcome: Outcome
  /// The event that carried it.
  package var event: EventID?
  package var waits: RefreshDecision.Cause?
  /// When the wait ends, where that is a matter of time alone.
  package var until: UnixTime?

  package init(
    time: UnixTime, app: BundleID, push: PushID, widgets: [Widget], outcome: Outcome, event: EventID? = nil,
    waits: RefreshDecision.Cause? = nil, until: UnixTime? = nil
  ) {
    self.time = time
    self.app = app
    self.push = push
    self.widgets = widgets
    self.outcome = outcome
    self.event = event
    self.waits = waits
    self.until = until
  }

  /// - Parameters:
  ///   - face: what the decision's registration showed at that time.
  ///   - clock: tells wall time.
  init(_ decision: Decision, of face: FormerFace, clock: LedgerClockReading) {
    let widgets = decision.widgets.compactMap { face.widgets.indices.contains($0) ? face.widgets[$0] : nil }
    self.init(
      time: clock.wallTime(of: decision.at), app: face.app, push: decision.push.id, widgets: widgets,
      outcome: .marked)
    switch decision.outcome {
    case .marked: outcome = .marked
    case .handedOver(let toll, let id, _):
      outcome = Outcome(toll)
      event = id
    case .sentAgain(let id):
      outcome = .resent
      event = id
    case .deferred(let cause, let end):
      outcome = .deferred
      waits = cause
      until = end == .distantFuture ? nil : clock.wallTime(of: end)
    case .superseded: outcome = .superseded
    case .dropped(let cause):
      outcome = .dropped
      waits = cause
    case .expired: outcome = .expired
    case .received: outcome = .received
    case .duplicate: outcome = .duplicate
    case .removed: outcome = .removed
    case .rejected(let end):
      outcome = .rejected
      waits = .budget
      until = clock.wallTime(of: end)
    }
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
