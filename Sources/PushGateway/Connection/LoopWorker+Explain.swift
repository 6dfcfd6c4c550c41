import BudgetThrottle
import GatewayCore
import GatewayReports
import TokenStore

/// Why a widget did or did not refresh.
extension LoopWorker {
  /// The checks of design §5 in their order; a push that was accepted has passed every one.
  private static let checks = [
    "method", "path", "provider-credential", "provider-token-rate", "duplicate-headers", "apns-id", "expiration",
    "priority", "collapse-id", "push-type-value", "topic", "topic-for-credential", "push-type-for-topic", "payload",
    "token", "token-known", "unregistered", "token-for-topic", "flood",
  ]

  /// - Parameter id: an `apns-id` or a device token.
  func explain(_ id: String) -> Result<ExplainReport, AdminFailure> {
    let wanted: (Decision) -> Bool
    if let uuid = CanonicalUUID(id) {
      wanted = { $0.push.id.uuid == uuid }
    } else if let token = DeviceToken(hex: id) {
      let known = Set(ledger.registrations(for: token).map(\.id))
      guard !known.isEmpty else { return .failure(.notFound("no registration has this token")) }
      wanted = { known.contains($0.registration) }
    } else {
      return .failure(.invalid("give an apns-id (8-4-4-4-12 hex) or a device token (hex)"))
    }
    struct Key: Hashable {
      var push: PushID
      var registration: UInt64
    }
    var order: [Key] = []
    var groups: [Key: [Decision]] = [:]
    for decision in ledger.decisions.decisions(where: wanted) {
      let key = Key(push: decision.push.id, registration: decision.registration)
      if groups[key] == nil { order.append(key) }
      groups[key, default: []].append(decision)
    }
    guard !order.isEmpty else {
      return .failure(.notFound("nothing is remembered of it: it was never accepted, or newer pushes took its place"))
    }
    let byID = Dictionary(
      ledger.registrations.filter { registration in order.contains { $0.registration == registration.id } }
        .map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
    let pushes = order.reversed().compactMap { key in
      byID[key.registration].flatMap { registration in
        groups[key].map { report(key.push, $0, of: registration) }
      }
    }
    return .success(ExplainReport(id: id, pushes: pushes))
  }

  private func report(
    _ push: PushID, _ decisions: [Decision], of registration: RegistrationState
  ) -> PushReport {
    let isRejected = decisions.contains { if case .rejected = $0.outcome { true } else { false } }
    let lines = decisions.flatMap { decision in
      decision.widgets.isEmpty
        ? [report(decision, widget: nil, of: registration)]
        : decision.widgets.map { report(decision, widget: $0, of: registration) }
    }
    return PushReport(
      apnsID: push.description, number: decisions.map(\.push.number).max().flatMap { $0 == 0 ? nil : $0 },
      token: registration.token.description, app: registration.app.bundleID.description,
      environment: registration.environment.rawValue, received: report(decisions[0].at),
      status: isRejected ? 429 : 200, reason: isRejected ? RejectionReason.tooManyRequests.rawValue : nil,
      checks: Self.checks.map { CheckReport(check: $0, passed: true) }, decisions: lines)
  }

  func report(_ decision: Decision, widget position: Int?, of registration: RegistrationState) -> DecisionReport {
    let (outcome, why, until) = words(decision.outcome)
    let kind = position.flatMap { $0 < registration.widgets.count ? registration.widgets[$0].kind : nil }
    return DecisionReport(
      time: report(decision.at), widget: position, kind: kind, outcome: outcome, why: why,
      until: until.flatMap { $0 == .distantFuture ? nil : report($0) })
  }

  private func words(_ outcome: Decision.Outcome) -> (DecisionReport.Outcome, String, LedgerTime?) {
    switch outcome {
    case .marked: (.marked, "the push says that this widget is stale", nil)
    case .handedOver(let toll, let event): (.sent, Self.words(toll) + ", event \(event)", nil)
    case .sentAgain(let event): (.resent, "no receipt came for event \(event); not charged", nil)
    case .deferred(let cause, let until): (.deferred, Self.words(cause), until)
    case .superseded(let number): (.superseded, "push number \(number) took its place", nil)
    case .dropped(let cause): (.dropped, "expiration 0, and at once was not possible: " + Self.words(cause), nil)
    case .expired: (.expired, "its expiration passed first", nil)
    case .received: (.received, "the device confirmed it", nil)
    case .duplicate: (.duplicate, "this apns-id was accepted before; nothing was marked", nil)
    case .removed: (.removed, "the widget was removed", nil)
    case .rejected(let until): (.rejected, "every widget lacks budget, and over-budget is reject", until)
    }
  }

  private static func words(_ toll: RefreshDecision.Toll) -> String {
    switch toll {
    case .charged: "charged to the budget"
    case .counted: "counted in shadow mode"
    case .uncounted: "budgets are off"
    case .exempt: "exempt: the app is in the foreground, or in an audio or navigation session"
    case .bypassed: "bypass: developer mode"
    }
  }

  private static func words(_ cause: RefreshDecision.Cause) -> String {
    switch cause {
    case .budget: "the budget is spent"
    case .minimumInterval: "the minimum interval since the last refresh has not passed"
    case .lowPriority: "low priority, waits to share a hand-over"
    case .asleep: "priority 1, and the device sleeps"
    case .away: "the device is not connected"
    case .busy: "the device has not taken the last event yet"
    }
  }
}
