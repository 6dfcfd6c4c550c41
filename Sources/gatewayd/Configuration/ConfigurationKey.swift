/// Every key of `gatewayd.toml`. The raw value is its whole path. What a key is, is said once, in ``facts``: the
/// reader, `config/gatewayd.toml`, `docs/configuration.md` and ``ReloadPlan`` all follow it.
package enum ConfigurationKey: String, CaseIterable, Sendable {
  case loops

  case providerListen = "provider.listen"
  case providerEnvironment = "provider.environment"
  case providerCleartext = "provider.cleartext"
  case providerClientCA = "provider.client-ca"
  case providerIdleTimeout = "provider.idle-timeout"

  case providerKeyTeam = "provider-key.team"
  case providerKeyID = "provider-key.key-id"
  case providerKeyFile = "provider-key.file"
  case providerKeyEnvironment = "provider-key.environment"
  case providerKeyScope = "provider-key.scope"
  case providerKeyTopics = "provider-key.topics"

  case deviceListen = "device.listen"
  case deviceHeartbeat = "device.heartbeat"

  case enrolmentKeyFile = "enrolment.key-file"
  case enrolmentBundleIDs = "enrolment.bundle-ids"
  case enrolmentEnvironments = "enrolment.environments"
  case enrolmentMaximumDevices = "enrolment.maximum-devices"
  case enrolmentPerMinute = "enrolment.per-minute"
  case enrolmentPerAddress = "enrolment.per-address-per-minute"

  case adminSocket = "admin.socket"
  case adminListen = "admin.listen"
  case adminTokenFile = "admin.token-file"

  case tlsCertificate = "tls.certificate"
  case tlsKey = "tls.key"
  case tlsCA = "tls.ca"

  case storeDatabase = "store.database"
  case storeDurability = "store.durability"

  case checksPayload = "checks.payload"
  case checksPushType = "checks.push-type"
  case checksPushesPerTokenPerMinute = "checks.pushes-per-token-per-minute"

  case budgetMode = "budget.mode"
  case budgetOverBudget = "budget.over-budget"
  case budgetRefreshesPerDay = "budget.refreshes-per-day"
  case budgetBurst = "budget.burst"
  case budgetMinimumInterval = "budget.minimum-interval"

  case overrideBundleID = "budget.override.bundle-id"
  case overrideKind = "budget.override.kind"
  case overrideFamily = "budget.override.family"
  case overridePlatform = "budget.override.platform"
  case overrideMode = "budget.override.mode"
  case overrideRefreshesPerDay = "budget.override.refreshes-per-day"
  case overrideBurst = "budget.override.burst"
  case overrideMinimumInterval = "budget.override.minimum-interval"

  case developerModeAllowed = "developer-mode.allowed"
  case developerModeLongest = "developer-mode.longest"
  case developerModeDeviceSwitch = "developer-mode.device-switch"

  case deliveryLowPriorityWindow = "delivery.low-priority-window"
  case deliveryRetention = "delivery.retention"

  case explainProduction = "explain.production"
  case explainDecisions = "explain.decisions"
  case explainRefusedPushes = "explain.refused-pushes"
  case explainRetention = "explain.retention"

  case lifecycleDrain = "lifecycle.drain"

  case limitsConnections = "limits.connections"
  case limitsConnectionsPerAddress = "limits.connections-per-address"
  case limitsStreams = "limits.streams"
  case limitsHeaderListBytes = "limits.header-list-bytes"
  case limitsHandshakes = "limits.handshakes"
  case limitsHandshakesPerTurn = "limits.handshakes-per-turn"
  case limitsHandshakeTimeout = "limits.handshake-timeout"
  case limitsRequestTimeout = "limits.request-timeout"
  case limitsResetsPerMinute = "limits.resets-per-minute"
  case limitsErrorsPerMinute = "limits.errors-per-minute"
  case limitsStoreBacklogBytes = "limits.store-backlog-bytes"

  case logLevel = "log.level"
  case logFormat = "log.format"

  /// The last part of the path, as a line of the file writes it.
  package var name: String {
    let section = facts.section.rawValue
    return section.isEmpty ? rawValue : String(rawValue.dropFirst(section.count + 1))
  }
}
