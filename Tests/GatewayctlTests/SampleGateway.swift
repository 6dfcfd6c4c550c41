import GatewayReports
import GatewayTestKit
import Synchronization

/// A gateway with one registration that has a bit of everything to print.
final class SampleGateway: NotingBackend {
  static let token = "8f14e45f"
  private let noted = Mutex<[String]>([])
  private let ready = Mutex<Bool>(true)

  var calls: [String] { noted.withLock { $0 } }
  func drain() { ready.withLock { $0 = false } }

  private static func time(_ seconds: Int64) -> ReportTime {
    ReportTime(milliseconds: 1_796_007_662_123 + seconds * 1000)
  }
  private static let budget = WidgetBudget(
    limit: 50, burst: 4, sustained: 46, remaining: 0, next: time(1878), admits: time(1878), mode: "enforce")

  func note(_ call: String) { noted.withLock { $0.append(call) } }

  func isReady() -> ReadinessReport {
    ready.withLock { $0 } ? ReadinessReport(ready: true) : ReadinessReport(ready: false, why: "draining")
  }

  func status() throws(AdminFailure) -> GatewayStatus {
    GatewayStatus(
      version: "1.0.0", started: Self.time(0), uptimeSeconds: 93_784, readiness: isReady(),
      listeners: [ListenerReport(role: .provider, address: "[::]:2197", environment: "development")],
      connections: ConnectionCounts(provider: 2, device: 31), devices: 40, connectedDevices: 31, registrations: 44,
      widgets: 90, waitingWidgets: 3, inFlightWidgets: 1, pushes: PushCounts(accepted: 1200, refused: 7),
      store: StoreReport(epoch: 4, journalEntries: 900, journalBytes: 81_000, pendingEntries: 0),
      developerModeGrants: 1)
  }

  func registrations(limit: Int, after: String?, app: String?) throws(AdminFailure) -> RegistrationPage {
    noted.withLock { $0.append("registrations \(limit) \(after ?? "-") \(app ?? "-")") }
    let one = RegistrationSummary(
      token: Self.token, app: "com.example.caffeine", environment: "development", device: "0b5c", platform: "iOS",
      connected: true, widgets: 2, waiting: 1, inFlight: 0)
    return RegistrationPage(registrations: [one], next: "8f14e45f")
  }

  func registration(token: String) throws(AdminFailure) -> RegistrationReport {
    try known(token)
    let decision = DecisionReport(
      time: Self.time(0), widget: 0, kind: "caffeine", outcome: .deferred, why: "budget spent", until: Self.time(1878))
    let mark = MarkReport(
      apnsID: "EC1BF194-B3B2-424B-9F1C-5F8A9C1C2C43", number: 7, since: Self.time(0), expires: Self.time(60),
      priority: 10)
    return RegistrationReport(
      token: token, topic: "com.example.caffeine.push-type.widgets", app: "com.example.caffeine",
      environment: "development", device: "0b5c", platform: "iOS", connected: true, developerMode: false,
      widgets: [
        WidgetReport(
          index: 0, kind: "caffeine", family: "systemSmall", configuration: "a\u{1B}[2J", budget: Self.budget,
          mark: mark, inFlight: nil, lastDecision: decision)
      ])
  }

  func budgets(token: String) throws(AdminFailure) -> BudgetReport {
    try known(token)
    return report(token)
  }

  func resetBudget(token: String, who: String, why: String, peerUID: UInt32?) throws(AdminFailure) -> BudgetReport {
    try known(token)
    noted.withLock { $0.append("reset by \(who): \(why)") }
    return report(token)
  }

  func developerModes() throws(AdminFailure) -> [DeveloperModeReport] { [] }

  func grantDeveloperMode(
    _ request: DeveloperModeRequest, peerUID: UInt32?
  ) throws(AdminFailure) -> DeveloperModeReport {
    noted.withLock { $0.append("grant \(request.app ?? "-") \(request.seconds) \(request.who) \(request.why)") }
    return DeveloperModeReport(
      app: request.app, device: request.device, until: Self.time(Int64(request.seconds)), since: Self.time(0),
      who: request.who, why: request.why, by: .operator)
  }

  func endDeveloperMode(
    app: String?, device: String?, who: String, why: String?, peerUID: UInt32?
  ) throws(AdminFailure) {
    noted.withLock { $0.append("end \(app ?? "-") \(device ?? "-") \(who)") }
  }

  func developerModeAudit() throws(AdminFailure) -> [DeveloperModeAuditEntry] {
    [
      DeveloperModeAuditEntry(
        time: Self.time(0), action: .granted, app: "com.example.caffeine", until: Self.time(3600), who: "ada",
        why: "layout", by: .operator, peerUID: 1000)
    ]
  }

  func explain(id: String) throws(AdminFailure) -> ExplainReport {
    if id == "00ff" { return ExplainReport(id: id, pushes: []) }
    let refused = PushReport(
      apnsID: "A", token: Self.token, topic: "com.example.caffeine", environment: "development", received: Self.time(0),
      status: 400,
      reason: "PayloadEmpty",
      checks: [
        CheckReport(check: "topic", passed: true),
        CheckReport(check: "payload", passed: false, detail: "'content-available' in place of 'content-changed'"),
      ], decisions: [])
    let accepted = PushReport(
      apnsID: "B", number: 7, token: Self.token, app: "com.example.caffeine", environment: "development",
      received: Self.time(1), status: 200, checks: [CheckReport(check: "topic", passed: true)],
      decisions: [
        DecisionReport(
          time: Self.time(1), widget: 0, kind: "caffeine", family: "systemSmall", outcome: .sent,
          why: "exempt: foreground", event: "4-311"),
        DecisionReport(
          time: Self.time(1), widget: 1, kind: "tea", outcome: .deferred, why: "budget spent", until: Self.time(60)),
      ])
    return ExplainReport(id: id, pushes: [accepted, refused])
  }

  func explainNewest(_ count: Int, refusedOnly: Bool) throws(AdminFailure) -> ExplainListReport {
    noted.withLock { $0.append("newest \(count) \(refusedOnly)") }
    let all = try explain(id: "").pushes
    return ExplainListReport(
      pushes: refusedOnly ? Array(all.suffix(1)) : all, withoutCredential: refusedOnly ? Array(all.suffix(1)) : [])
  }

  func metrics() throws(AdminFailure) -> [MetricFamily] { [] }

  private func report(_ token: String) -> BudgetReport {
    BudgetReport(
      token: token, app: "com.example.caffeine", environment: "development", developerMode: true,
      widgets: [.init(index: 0, kind: "caffeine", family: "systemSmall", configuration: nil, budget: Self.budget)])
  }

  func backup() throws(AdminFailure) -> BackupFile { throw .unavailable("there is no database here") }

  private func known(_ token: String) throws(AdminFailure) {
    guard token == Self.token else { throw .notFound("no registration has the token \(token)") }
  }
}
