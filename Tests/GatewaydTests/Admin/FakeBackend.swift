import GatewayReports
import GatewayTestKit
import Synchronization

/// A gateway with one registration, which notes what it is asked and can be made to block.
final class FakeBackend: NotingBackend {
  static let token = String(repeating: "ab", count: 32)

  private let noted = Mutex<[String]>([])
  private let gate = Mutex<Bool>(true)
  private let ready = Mutex<Bool>(true)

  var calls: [String] { noted.withLock { $0 } }
  func close() { gate.withLock { $0 = false } }
  func open() { gate.withLock { $0 = true } }
  func drain() { ready.withLock { $0 = false } }

  func note(_ call: String) { noted.withLock { $0.append(call) } }

  func isReady() -> ReadinessReport {
    ready.withLock { $0 } ? ReadinessReport(ready: true) : ReadinessReport(ready: false, why: "draining")
  }

  func status() throws(AdminFailure) -> GatewayStatus {
    note("status")
    while !gate.withLock({ $0 }) { yieldBriefly() }
    return GatewayStatus(
      version: "1", started: ReportTime(milliseconds: 0), uptimeSeconds: 5, readiness: isReady(), listeners: [],
      connections: ConnectionCounts(provider: 1, device: 2), devices: 3, connectedDevices: 2, registrations: 4,
      widgets: 8, waitingWidgets: 1, inFlightWidgets: 0, pushes: PushCounts(accepted: 9, refused: 1),
      store: StoreReport(epoch: 1, journalEntries: 0, journalBytes: 0, pendingEntries: 0), developerModeGrants: 0)
  }

  func registrations(limit: Int, after: String?, app: String?) throws(AdminFailure) -> RegistrationPage {
    note("registrations \(limit) \(after ?? "-") \(app ?? "-")")
    return RegistrationPage(registrations: [], next: nil)
  }

  func registration(token: String) throws(AdminFailure) -> RegistrationReport {
    try known(token)
    return RegistrationReport(
      token: token, topic: "a.b.push-type.widgets", app: "a.b", environment: "development", device: "d",
      platform: "iOS", connected: true, developerMode: false, widgets: [])
  }

  func budgets(token: String) throws(AdminFailure) -> BudgetReport {
    note("peek")
    try known(token)
    return BudgetReport(token: token, app: "a.b", environment: "development", developerMode: false, widgets: [])
  }

  func resetBudget(token: String, who: String, why: String, peerUID: UInt32?) throws(AdminFailure) -> BudgetReport {
    note("reset by \(who) (\(why)), uid \(peerUID.map(String.init) ?? "-")")
    try known(token)
    return BudgetReport(token: token, app: "a.b", environment: "development", developerMode: false, widgets: [])
  }

  func developerModes() throws(AdminFailure) -> [DeveloperModeReport] { [] }

  func grantDeveloperMode(
    _ request: DeveloperModeRequest, peerUID: UInt32?
  ) throws(AdminFailure) -> DeveloperModeReport {
    note("grant \(request.app ?? request.device ?? "") \(request.seconds) uid \(peerUID.map(String.init) ?? "-")")
    guard request.seconds <= 3600 else { throw .forbidden("[developer-mode] longest is 1h") }
    return DeveloperModeReport(
      app: request.app, device: request.device, until: ReportTime(milliseconds: 1000),
      since: ReportTime(milliseconds: 0), who: request.who, why: request.why, by: .operator)
  }

  func endDeveloperMode(
    app: String?, device: String?, who: String, why: String?, peerUID: UInt32?
  ) throws(AdminFailure) {
    note("end \(app ?? "-") \(device ?? "-") by \(who)")
  }

  func developerModeAudit() throws(AdminFailure) -> [DeveloperModeAuditEntry] { [] }

  func explain(id: String) throws(AdminFailure) -> ExplainReport {
    note("explain \(id)")
    return ExplainReport(id: id, pushes: [])
  }

  func explainNewest(_ count: Int, refusedOnly: Bool) throws(AdminFailure) -> ExplainListReport {
    note("newest \(count) \(refusedOnly)")
    return ExplainListReport(pushes: [], withoutCredential: [])
  }

  func metrics() throws(AdminFailure) -> [MetricFamily] {
    [.single("gatewayd_up", "Always 1.", .gauge, 1)]
  }

  func backup() throws(AdminFailure) -> BackupFile { throw .unavailable("there is no database here") }

  private func known(_ token: String) throws(AdminFailure) {
    guard token == Self.token else { throw .notFound("no registration has this token") }
  }
}
