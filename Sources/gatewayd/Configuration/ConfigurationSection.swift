/// The tables of `gatewayd.toml`. The raw value is the path that its header names.
package enum ConfigurationSection: String, CaseIterable, Sendable {
  case top = ""
  case provider
  case providerKey = "provider-key"
  case device
  case enrolment
  case admin
  case tls
  case store
  case checks
  case budget
  case budgetOverride = "budget.override"
  case developerMode = "developer-mode"
  case delivery
  case explain
  case lifecycle
  case limits
  case log

  /// Written `[[name]]`, any number of times.
  package var isRepeated: Bool {
    switch self {
    case .provider, .providerKey, .enrolment, .budgetOverride: true
    default: false
    }
  }

  /// As the file writes it; empty for the top.
  package var header: String {
    if self == .top { return "" }
    return isRepeated ? "[[\(rawValue)]]" : "[\(rawValue)]"
  }

  package var keys: [ConfigurationKey] { ConfigurationKey.allCases.filter { $0.facts.section == self } }

  /// For the sample and the reference.
  package var summary: String {
    switch self {
    case .top: "Stands before the first section."
    case .provider:
      "A listener for backends, which speak APNs to it: TLS 1.2 or newer and HTTP/2. It serves one environment; have "
        + "one for each that you need."
    case .providerKey:
      "A key whose provider tokens (ES256 JWTs) are accepted. The same key may stand here once for each environment."
    case .device:
      "The listener for devices. Leave the section out and there is none."
    case .enrolment:
      "A key with which a device may enrol, and what it may then register."
    case .admin:
      "Where gatewayctl, health checks and Prometheus reach the gateway. Leave the section out and there is no such "
        + "place."
    case .tls: "The certificate of all TLS listeners."
    case .store: "Where accepted pushes, registrations and budgets are kept."
    case .checks: "How exactly pushes are checked."
    case .budget: "How often one widget may refresh, unless an override says otherwise."
    case .budgetOverride:
      "Another budget for some widgets. What it does not set comes from [budget] (burst from its own "
        + "refreshes-per-day). If several match, a named bundle ID outweighs a kind, a kind a family, a family a "
        + "platform; two that name the same are refused."
    case .developerMode: "Lifts budgets for development registrations, never for production ones."
    case .delivery: "How long a refresh may wait."
    case .explain: "What is remembered for those who ask why a widget did or did not refresh."
    case .lifecycle: "Start and stop."
    case .limits: "Bounds on what peers can make the gateway hold or do."
    case .log: "Messages of the daemon, on standard error or in the journal."
    }
  }
}
