import GatewayCore
import GatewayReports
import Synchronization

/// Decides what an admin request is answered. Knows no socket; every admin thread calls it.
final class AdminRouter: Sendable {
  /// Calls into the gateway at once, and as many again that ask for readiness. The rest of the connections stay free
  /// for health, which asks nobody, however long a call takes.
  static let maximumBackendCalls = 8

  private let backend: any AdminBackend
  private let access: AdminAccess
  /// Metrics of the process around the gateway.
  private let ownMetrics: @Sendable () -> [MetricFamily]
  private let backendCalls = Atomic<Int>(0)
  private let readinessCalls = Atomic<Int>(0)

  init(
    backend: any AdminBackend, token: Secret<String>?, ownMetrics: @escaping @Sendable () -> [MetricFamily] = { [] }
  ) {
    self.backend = backend
    self.ownMetrics = ownMetrics
    access = AdminAccess(token: token)
  }

  /// Judges the head alone, so that a body nobody wants is not even read; nil: read on and ``answer(_:)``.
  func refusal(of request: AdminRequest) -> AdminAnswer? {
    let route = AdminRoute(path: request.path)
    if let refusal = access.refusal(of: request, to: route) { return refusal }
    guard let route else {
      return .failure(status: 404, code: "not-found", detail: "nothing is served under this path")
    }
    guard route.methods.contains(request.method) else {
      let allowed = route.methods.joined(separator: ", ")
      return .failure(
        status: 405, code: "method-not-allowed", detail: "this path takes \(allowed)", fields: ["allow": allowed])
    }
    let known = route.parameters(for: request.method)
    if let unknown = request.query.first(where: { !known.contains($0.name) }) {
      let names = known.isEmpty ? "none are known here" : "known are " + known.joined(separator: ", ")
      return .failure(
        status: 400, code: "unknown-parameter", detail: "unknown query parameter '\(unknown.name.prefix(64))'; \(names)"
      )
    }
    if let length = request.contentLength, Int(length).map({ $0 > route.maximumBodyBytes }) ?? true {
      return Self.bodyTooLarge(for: request)
    }
    return nil
  }

  static func bodyTooLarge(for request: AdminRequest) -> AdminAnswer {
    .failure(
      status: 413, code: "body-too-large", detail: "a body may have at most \(maximumBodyBytes(of: request)) bytes here"
    )
  }

  static func maximumBodyBytes(of request: AdminRequest) -> Int {
    AdminRoute(path: request.path)?.maximumBodyBytes ?? 0
  }

  /// For a request that ``refusal(of:)`` let through, with its body.
  func answer(_ request: AdminRequest) -> AdminAnswer {
    switch AdminRoute(path: request.path) {
    case nil: return .failure(status: 404, code: "not-found", detail: "nothing is served under this path")
    case .health:
      return .json(["alive": true])
    case .readiness:
      return limited(readinessCalls) {
        let report = backend.isReady()
        return .json(report, status: report.ready ? 200 : 503)
      }
    case .some(let route):
      return limited(backendCalls) {
        do throws(AdminFailure) {
          return try call(route, request)
        } catch {
          return .failure(error)
        }
      }
    }
  }

  private func limited(_ calls: borrowing Atomic<Int>, _ body: () -> AdminAnswer) -> AdminAnswer {
    let others = calls.add(1, ordering: .relaxed).oldValue
    defer { calls.subtract(1, ordering: .relaxed) }
    guard others < Self.maximumBackendCalls else {
      return .failure(.unavailable("too many admin requests at once: try again"))
    }
    return body()
  }

  private func call(_ route: AdminRoute, _ request: AdminRequest) throws(AdminFailure) -> AdminAnswer {
    switch route {
    case .health, .readiness: preconditionFailure("Answered without the gateway.")
    case .metrics:
      .text(PrometheusText.text(of: try backend.metrics() + ownMetrics()), contentType: PrometheusText.contentType)
    case .status: .json(try backend.status())
    case .registrations: .json(try page(request))
    case .registrationExport:
      AdminAnswer(
        status: 200, contentType: "application/jsonl",
        body: .lines(AdminStream(try backend.exportRegistrations(app: try Self.parameter("app", of: request)))))
    case .registrationImport: .json(try imported(request))
    case .registrationSweep:
      .json(try backend.sweepRegistrations(try AdminBody.sweepRequest(request.body), peerUID: request.peerUID))
    case .registration(let token): .json(try backend.registration(token: token))
    case .budgets(let token): .json(try backend.budgets(token: token))
    case .budgetReset(let token):
      try resetBudget(token, request)
    case .developerMode: try developerMode(request)
    case .developerModeAudit: .json(["entries": try backend.developerModeAudit()])
    case .explain(let id): .json(try backend.explain(id: id))
    case .explainNewest: .json(try newest(request))
    case .backup: AdminAnswer(status: 200, contentType: "application/vnd.sqlite3", body: .file(try backend.backup()))
    }
  }

  private func resetBudget(_ token: String, _ request: AdminRequest) throws(AdminFailure) -> AdminAnswer {
    let reset = try AdminBody.budgetReset(request.body)
    return .json(
      try backend.resetBudget(
        token: token, who: reset.who ?? Self.caller(request), why: reset.why ?? "no reason given",
        peerUID: request.peerUID))
  }

  private func page(_ request: AdminRequest) throws(AdminFailure) -> RegistrationPage {
    var limit = 100
    if let text = try Self.parameter("limit", of: request) {
      guard let number = Int(text), (1...1000).contains(number) else {
        throw .invalid("'limit' must be a number from 1 to 1000")
      }
      limit = number
    }
    return try backend.registrations(
      limit: limit, after: try Self.parameter("after", of: request), app: try Self.parameter("app", of: request))
  }

  private func imported(_ request: AdminRequest) throws(AdminFailure) -> ImportReport {
    let isDryRun = try Self.parameter("dry-run", of: request) ?? "false"
    guard ["true", "false"].contains(isDryRun) else { throw .invalid("'dry-run' must be true or false") }
    return try backend.importRegistrations(
      request.body, dryRun: isDryRun == "true", who: try Self.parameter("who", of: request) ?? Self.caller(request),
      peerUID: request.peerUID)
  }

  private func newest(_ request: AdminRequest) throws(AdminFailure) -> ExplainListReport {
    var count = 20
    if let text = try Self.parameter("last", of: request) {
      guard let number = Int(text), (1...200).contains(number) else {
        throw .invalid("'last' must be a number from 1 to 200")
      }
      count = number
    }
    let refused = try Self.parameter("refused", of: request) ?? "false"
    guard ["true", "false"].contains(refused) else { throw .invalid("'refused' must be true or false") }
    return try backend.explainNewest(count, refusedOnly: refused == "true")
  }

  private func developerMode(_ request: AdminRequest) throws(AdminFailure) -> AdminAnswer {
    switch request.method {
    case "PUT":
      let wanted = try AdminBody.developerModeRequest(request.body)
      return .json(try backend.grantDeveloperMode(wanted, peerUID: request.peerUID))
    case "DELETE":
      let app = try Self.parameter("app", of: request)
      let device = try Self.parameter("device", of: request)
      guard (app == nil) != (device == nil) else { throw .invalid("give exactly one of ?app= and ?device=") }
      let who = try Self.parameter("who", of: request) ?? Self.caller(request)
      let why = try Self.parameter("why", of: request)
      try backend.endDeveloperMode(app: app, device: device, who: who, why: why, peerUID: request.peerUID)
      return AdminAnswer(status: 204, body: .bytes([]))
    default:
      return .json(["grants": try backend.developerModes()])
    }
  }

  private static func parameter(_ name: String, of request: AdminRequest) throws(AdminFailure) -> String? {
    let given = request.query.filter { $0.name == name }
    guard given.count <= 1 else { throw .invalid("'\(name)' is given twice") }
    try AdminBody.checkText(name, given.first?.value)
    return given.first?.value
  }

  /// Stands in the audit for those who do not say who they are.
  private static func caller(_ request: AdminRequest) -> String {
    request.peerUID.map { "uid \($0)" } ?? "bearer of the admin token"
  }
}
