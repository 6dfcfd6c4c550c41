/// What an admin path names (design §5, Admin).
enum AdminRoute: Sendable, Equatable {
  case health, readiness, metrics, status
  case registrations
  case registrationExport, registrationImport, registrationSweep
  case registration(token: String)
  case budgets(token: String)
  case budgetReset(token: String)
  case developerMode
  case developerModeAudit
  case explain(id: String)
  case explainNewest
  case backup

  /// nil: nothing is there.
  init?(path: String) {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map(String.init)
    switch parts.first {
    case "healthz" where parts.count == 1: self = .health
    case "readyz" where parts.count == 1: self = .readiness
    case "metrics" where parts.count == 1: self = .metrics
    case "v1":
      // Ids are hex or UUIDs; a longer or empty segment names nothing.
      let ids = parts.dropFirst(2)
      guard ids.allSatisfy({ !$0.isEmpty && $0.utf8.count <= 256 }) else { return nil }
      switch (parts.dropFirst().first, Array(ids)) {
      case ("status", let rest) where rest.isEmpty: self = .status
      case ("registrations", let rest) where rest.isEmpty: self = .registrations
      // No token is spelled like these: they are not hex.
      case ("registrations", ["export"]): self = .registrationExport
      case ("registrations", ["import"]): self = .registrationImport
      case ("registrations", ["sweep"]): self = .registrationSweep
      case ("registrations", let rest) where rest.count == 1: self = .registration(token: rest[0])
      case ("budgets", let rest) where rest.count == 1: self = .budgets(token: rest[0])
      case ("budgets", let rest) where rest.count == 2 && rest[1] == "reset": self = .budgetReset(token: rest[0])
      case ("developer-mode", let rest) where rest.isEmpty: self = .developerMode
      case ("developer-mode", let rest) where rest == ["audit"]: self = .developerModeAudit
      case ("explain", let rest) where rest.isEmpty: self = .explainNewest
      case ("explain", let rest) where rest.count == 1: self = .explain(id: rest[0])
      case ("backup", let rest) where rest.isEmpty: self = .backup
      default: return nil
      }
    default: return nil
    }
  }

  /// HEAD is served wherever GET is.
  var methods: [String] {
    switch self {
    case .budgetReset, .registrationImport, .registrationSweep, .backup: ["POST"]
    case .developerMode: ["GET", "HEAD", "PUT", "DELETE"]
    default: ["GET", "HEAD"]
    }
  }

  /// Query parameters that it understands, by method.
  func parameters(for method: String) -> [String] {
    switch self {
    case .registrations: ["limit", "after", "app"]
    case .registrationExport: ["app"]
    case .registrationImport: ["dry-run", "who"]
    case .explainNewest: ["last", "refused"]
    case .developerMode where method == "DELETE": ["app", "device", "who", "why"]
    default: []
    }
  }

  /// What its body may have. An import comes in pieces of whole lines, each of which a device sent as one body.
  var maximumBodyBytes: Int { self == .registrationImport ? 4 << 20 : 64 << 10 }

  /// On TCP these need no token: a probe and a scraper have none.
  var isOpen: Bool {
    switch self {
    case .health, .readiness, .metrics: true
    default: false
    }
  }
}
