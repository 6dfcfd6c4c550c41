import BudgetThrottle
import GatewayCore
public import GatewayReports
import Glibc
import TokenStore

/// What the admin API asks and commands. Called from its threads; everything happens on the ledger's thread.
extension Gateway: AdminBackend {
  public func isReady() -> ReadinessReport {
    do throws(AdminFailure) {
      return try ask(within: .seconds(1)) { worker in .success(worker.readiness) }
    } catch {
      return ReadinessReport(ready: false, why: error.detail)
    }
  }

  public func status() throws(AdminFailure) -> GatewayStatus {
    let (listeners, started) = (listeners, started)
    let loops = try loopFigures()
    var status = try ask { worker in .success(worker.status(loops, listeners: listeners, started: started)) }
    status.lastReload = reloads.counts.last
    return status
  }

  public func registrations(limit: Int, after: String?, app: String?) throws(AdminFailure) -> RegistrationPage {
    try ask { worker in worker.registrations(limit: limit, after: after, app: app) }
  }

  public func registration(token: String) throws(AdminFailure) -> RegistrationReport {
    let trail = try ask { worker in worker.find(token).map { worker.trail(of: $0) } }
    let told = trail?.latest ?? []
    return try ask { worker in worker.find(token).map { worker.report($0, told) } }
  }

  public func budgets(token: String) throws(AdminFailure) -> BudgetReport {
    try ask { worker in worker.find(token).map { worker.budgetReport($0) } }
  }

  public func resetBudget(
    token: String, who: String, why: String, peerUID: UInt32?
  ) throws(AdminFailure) -> BudgetReport {
    try command { worker in
      worker.find(token).map { registration in
        worker.ledger.resetBudgets(
          of: registration, who: who, why: why, uid: peerUID, at: worker.now, wall: worker.wall)
        return worker.budgetReport(registration)
      }
    }
  }

  public func developerModes() throws(AdminFailure) -> [DeveloperModeReport] {
    try ask { worker in
      .success(worker.ledger.developerMode.standing(at: worker.now).map { worker.report($0) })
    }
  }

  public func grantDeveloperMode(
    _ request: DeveloperModeRequest, peerUID: UInt32?
  ) throws(AdminFailure) -> DeveloperModeReport {
    let subject = try Self.subject(app: request.app, device: request.device)
    return try command { worker in worker.grant(subject, request, peerUID: peerUID) }
  }

  public func endDeveloperMode(
    app: String?, device: String?, who: String, why: String?, peerUID: UInt32?
  ) throws(AdminFailure) {
    let subject = try Self.subject(app: app, device: device)
    let wasStanding = try command { worker in
      .success(
        worker.ledger.endDeveloperMode(
          of: subject, who: who, why: why ?? "ended by hand", by: .operatorRequest(uid: peerUID), at: worker.now,
          wall: worker.wall))
    }
    guard wasStanding else { throw .notFound("developer mode is not on for \(subject)") }
  }

  public func developerModeAudit() throws(AdminFailure) -> [DeveloperModeAuditEntry] {
    try ask { worker in .success(worker.ledger.audit.remembered.suffix(1000).map { DeveloperModeAuditEntry($0) })
    }
  }

  public func metrics() throws(AdminFailure) -> [MetricFamily] {
    let loops = try loopFigures().metrics
    return try ask { worker in .success(worker.metrics) } + loops + storeFileMetrics + reloadMetrics
  }

  /// Asked of the file system on the admin's thread, which may wait for it.
  private var storeFileMetrics: [MetricFamily] {
    func size(_ path: String) -> Double {
      var status = stat()
      return stat(path, &status) == 0 ? Double(status.st_size) : 0
    }
    return [
      .single("gatewayd_database_bytes", "The database's file.", .gauge, size(database)),
      .single(
        "gatewayd_wal_bytes", "Its write-ahead log, which stands beside it; a checkpoint lets it begin anew.", .gauge,
        size(database + "-wal")),
    ]
  }

  private var reloadMetrics: [MetricFamily] {
    let counts = reloads.counts
    return [
      .labelled(
        "gatewayd_reloads_total", "Reloads of configuration, certificates and keys.", .counter, by: "outcome",
        [("succeeded", Double(counts.succeeded)), ("failed", Double(counts.failed))]),
      .single(
        "gatewayd_reload_failed",
        "1 while the last reload is one that failed, so that an older configuration is served.",
        .gauge, counts.last?.succeeded == false ? 1 : 0),
    ]
  }

  public func backup() throws(AdminFailure) -> BackupFile { try backups.copy() }

  private static func subject(app: String?, device: String?) throws(AdminFailure) -> DeveloperModeSubject {
    switch (app, device) {
    case (let app?, nil):
      guard let bundleID = BundleID(app) else {
        throw .invalid("app must be a bundle ID, such as com.example.caffeine")
      }
      return .app(bundleID)
    case (nil, let device?):
      guard let uuid = CanonicalUUID(device) else { throw .invalid("device must be a device's UUID") }
      return .device(DeviceID(uuid))
    default: throw .invalid("name either an app or a device")
    }
  }
}

extension DeveloperModeAuditEntry {
  init(_ entry: AuditEntry) {
    let action: Action
    switch entry.action {
    case .developerModeOn: action = .granted
    case .developerModeOff: action = .ended
    case .developerModeEnded: action = .expired
    case .budgetReset: action = .reset
    case .registrationsSwept: action = .swept
    }
    var (app, device): (String?, String?)
    switch entry.subject {
    case .developerMode(.app(let bundleID)): app = bundleID.description
    case .developerMode(.device(let id)): device = id.description
    case .budgets(let bundleID, let id): (app, device) = (bundleID.description, id.description)
    case .registrations(let bundleID): app = bundleID?.description
    }
    self.init(
      time: ReportTime(milliseconds: entry.at.milliseconds), action: action, app: app, device: device,
      until: entry.until.map { ReportTime(milliseconds: $0.milliseconds) }, who: entry.who, why: entry.why,
      by: entry.by == .deviceSwitch ? .device : .operator, peerUID: entry.uid)
  }
}
