import BudgetThrottle
import GatewayCore
import GatewayReports
import TokenStore

/// What the ledger contributes to `explain`: what it remembers, and the names of things.
extension LedgerWorker {
  func view(for question: ExplainQuestion) -> ExplainView {
    var view = ExplainView(
      chunks: ledger.trail.snapshot, refused: refusedPushes.refused(last: ExplainView.limit) { question.isAbout($0) },
      strange: refusedPushes.strange { question.isAbout($0) })
    if case .token(let token) = question { view.holders = Set(ledger.registrations(for: token).map(\.id)) }
    return view
  }

  func view(ofNewest count: Int) -> ExplainView {
    ExplainView(
      chunks: ledger.trail.snapshot, refused: refusedPushes.refused(last: count),
      strange: refusedPushes.strange(last: count))
  }

  /// Newest first. Those without a credential only if they were asked for by name.
  func reports(_ findings: ExplainView.Findings) -> [PushReport] {
    let reports = findings.pushes.compactMap { report($0) } + findings.refused.map { report($0) }
    return reports.sorted { ($0.received, $0.number ?? 0) > ($1.received, $1.number ?? 0) }
  }

  // MARK: A push that reached its registration

  private func report(_ push: TrailSearch.Push) -> PushReport? {
    // A registration that is gone has left its face in the trail.
    let current = ledger.registrations.find(push.registration).map { FormerFace($0) }
    guard let first = push.told.first, let face = first.face ?? current else { return nil }
    let isRejected = push.told.contains { if case .rejected = $0.decision.outcome { true } else { false } }
    let number = push.told.map(\.decision.push.number).max() ?? 0
    return PushReport(
      apnsID: push.id.description,
      apnsUniqueID: face.environment == .development ? push.uniqueID?.uuid.description : nil,
      number: isRejected || number == 0 ? nil : number, token: face.token.description, app: face.app.description,
      topic: WidgetTopic.text(for: face.app), environment: face.environment.rawValue,
      received: report(first.decision.at), status: isRejected ? 429 : 200,
      reason: isRejected ? RejectionReason.tooManyRequests.rawValue : nil,
      checks: Self.checks(upTo: nil, detail: nil),
      decisions: push.told.flatMap { told in (told.face ?? current).map { lines(told, of: $0) } ?? [] })
  }

  private func lines(_ told: TrailSearch.Told, of face: FormerFace) -> [DecisionReport] {
    guard !told.decision.widgets.isEmpty else { return [report(told, widget: nil, of: face)] }
    return told.decision.widgets.map { report(told, widget: $0, of: face) }
  }

  func report(_ told: TrailSearch.Told, widget position: Int?, of face: FormerFace) -> DecisionReport {
    let (outcome, why, until) = words(told)
    let widget = position.flatMap { $0 < face.widgets.count ? face.widgets[$0] : nil }
    return DecisionReport(
      time: report(told.decision.at), widget: position, kind: widget?.kind, family: widget?.family.rawValue,
      outcome: outcome, why: why, event: told.decision.outcome.event?.description,
      until: until.flatMap { $0 == .distantFuture ? nil : report($0) })
  }

  private func words(_ told: TrailSearch.Told) -> (DecisionReport.Outcome, String, LedgerTime?) {
    switch told.decision.outcome {
    case .marked: (.marked, "the push says that this widget is stale", nil)
    case .handedOver(.bypassed, _, let grant): (.sent, "bypass: developer mode\(who(granted: grant))", nil)
    case .handedOver(let toll, _, _): (.sent, Self.words(toll), nil)
    case .sentAgain: (.resent, "no receipt had come; not charged again", nil)
    case .deferred(let cause, let until): (.deferred, Self.words(cause), until)
    case .superseded(let number):
      (.superseded, "a newer push took its place: " + (told.superseder?.description ?? "number \(number)"), nil)
    case .dropped(let cause): (.dropped, "expiration 0, and at once was not possible: " + Self.words(cause), nil)
    case .expired: (.expired, "its expiration passed first", nil)
    case .received: (.received, "the device confirmed it", nil)
    case .duplicate: (.duplicate, "this apns-id was accepted before; nothing was marked", nil)
    case .removed: (.removed, "the widget was removed", nil)
    case .rejected(let until): (.rejected, "every widget lacks budget, and over-budget is reject", until)
    }
  }

  /// The audit only grows, so that it still says who let a refresh through when the grant is long over.
  private func who(granted place: Int?) -> String {
    guard let place, let entry = ledger.audit[place] else { return "" }
    let granter = entry.by == .deviceSwitch ? "the device's switch" : entry.who
    return " of \(entry.subject) (\(granter): \(entry.why))"
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

  // MARK: A push that was refused

  func report(_ push: RefusedPush) -> PushReport {
    PushReport(
      apnsID: push.id.description, token: push.token?.description ?? "", topic: push.topic,
      environment: push.environment.rawValue, received: ReportTime(milliseconds: push.at.milliseconds),
      status: push.reason.status, reason: push.reason.rawValue, detail: push.detail,
      checks: Self.checks(upTo: push.check, detail: push.detail), decisions: [])
  }

  private static func checks(upTo failed: PushCheck?, detail: String?) -> [CheckReport] {
    PushCheck.allCases.compactMap { check in
      if check == failed { return CheckReport(check: check.rawValue, passed: false, detail: detail) }
      if check == .store { return nil }
      return failed.map { check < $0 } ?? true ? CheckReport(check: check.rawValue, passed: true) : nil
    }
  }

  // MARK: Nothing

  /// The largest unit that leaves no rest, such as `7 d` or `90 min`.
  private static func words(for milliseconds: Int64) -> String {
    let seconds = milliseconds / 1000
    for (unit, length) in [("d", Int64(86_400)), ("h", 3600), ("min", 60)] where seconds % length == 0 && seconds > 0 {
      return "\(seconds / length) \(unit)"
    }
    return "\(seconds) s"
  }

  func nothingKnown(of question: ExplainQuestion) -> AdminFailure {
    let rules = ledger.rules.explain
    let kept =
      "the last \(rules.decisions) decisions are kept for \(Self.words(for: rules.retention))"
      + (rules.production ? "" : ", those about production only with explain.production = true")
    guard case .token(let token) = question else {
      return .notFound(
        "no push with this apns-id or apns-unique-id is remembered: it never arrived here, or it is too old (\(kept)); "
          + "gatewayctl explain --last 20 lists what came")
    }
    if let registration = ledger.registrations(for: token).first {
      return .notFound(
        "\(registration.app.bundleID) has this token in \(registration.environment.rawValue), and no push to it is "
          + "remembered (\(kept)); gatewayctl explain --last 20 --refused lists pushes that never got so far")
    }
    if let date = ledger.retirement(of: token) {
      return .notFound(
        "the token was retired at \(date.rfc3339): its app was removed, or has a new token; pushes to it are answered "
          + "410, and the device tells the new one when it registers")
    }
    return .notFound(
      "no device has registered this token, and no push to it is remembered: compare it with gatewayctl registrations; "
        + "gatewayctl explain --last 20 --refused lists what was refused")
  }
}

extension Decision.Outcome {
  fileprivate var event: EventID? {
    switch self {
    case .handedOver(_, let event, _), .sentAgain(let event): event
    default: nil
    }
  }
}
