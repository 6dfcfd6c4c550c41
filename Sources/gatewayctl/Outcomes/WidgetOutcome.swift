import GatewayReports

/// What became of one push at one widget, drawn together from all that was decided about it: a row of `explain`'s
/// table.
struct WidgetOutcome: Encodable, Equatable {
  var name: String?
  var apnsID: String?
  var number: UInt64?
  var token: String
  /// nil: it concerns the whole registration.
  var widget: Int?
  var kind: String?
  var family: String?
  /// The answer's status.
  var status: Int
  /// As ``DecisionReport/Outcome``, or `refused`, or `forgotten`.
  var outcome: String
  /// For `deferred`, where time alone changes it.
  var until: ReportTime?
  var why: String

  private enum CodingKeys: String, CodingKey {
    case name, number, token, widget, kind, family, status, outcome, until, why
    case apnsID = "apns-id"
  }

  /// - Parameter widgets: the registration's as it stands now, by their index; a report of the past names kinds only.
  static func all(of push: PushReport, name: String? = nil, widgets: [Int: WidgetReport] = [:]) -> [WidgetOutcome] {
    let whole = WidgetOutcome(
      name: name, apnsID: push.apnsID, number: push.number, token: push.token, status: push.status, outcome: "refused",
      why: "")
    guard push.status == 200 else {
      var refused = whole
      let detail = push.checks.first { !$0.passed }?.detail ?? push.decisions.last?.why
      refused.why = [push.reason ?? String(push.status), detail].compactMap { $0 }.joined(separator: ": ")
      return [refused]
    }
    let concerned = Set(push.decisions.map(\.widget)).sorted { ($0 ?? -1) < ($1 ?? -1) }
    return concerned.map { index in
      let decisions = push.decisions.filter { $0.widget == index }
      var one = whole
      one.widget = index
      one.kind = decisions.lazy.compactMap(\.kind).last
      one.family = index.flatMap { widgets[$0] }.flatMap { $0.kind == one.kind ? $0.family : nil }
      (one.outcome, one.until, one.why) = end(of: decisions)
      return one
    }
  }

  /// The row of a push whose answer is all that is known of it.
  init(_ result: PushResult, why: String? = nil) {
    self.init(
      name: result.name, apnsID: result.apnsID, token: result.token, status: result.status,
      outcome: result.status == 200 ? "forgotten" : "refused",
      why: why ?? [result.reason ?? String(result.status), result.detail].compactMap { $0 }.joined(separator: ": "))
  }

  init(
    name: String?, apnsID: String?, number: UInt64? = nil, token: String, status: Int, outcome: String, why: String
  ) {
    self.name = name
    self.apnsID = apnsID
    self.number = number
    self.token = token
    self.status = status
    self.outcome = outcome
    self.why = why
  }

  /// A mark says only that the push arrived, and a receipt only that a hand-over did: neither is where the push stands.
  private static func end(of decisions: [DecisionReport]) -> (outcome: String, until: ReportTime?, why: String) {
    let telling = decisions.last { $0.outcome != .marked && $0.outcome != .received } ?? decisions.last
    guard let telling else { return ("marked", nil, "") }
    var why = telling.why
    if telling.outcome == .sent || telling.outcome == .resent {
      if let deferred = decisions.first(where: { $0.outcome == .deferred }) {
        let seconds = (telling.time.milliseconds - deferred.time.milliseconds) / 1000
        why += ", after \(ReportText.duration(seconds: Int(seconds))) (\(deferred.why))"
      }
      if decisions.last?.outcome == .received { why += ", received" }
    }
    return (telling.outcome.rawValue, telling.outcome == .deferred ? telling.until : nil, why)
  }
}
