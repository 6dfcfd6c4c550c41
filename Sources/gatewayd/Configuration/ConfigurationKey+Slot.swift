import BudgetThrottle
import GatewayCore

extension ConfigurationKey {
  /// Where a key's value lives in a ``GatewayConfiguration``.
  struct Slot {
    let differs: (GatewayConfiguration, GatewayConfiguration) -> Bool
    /// Copies the value from the first to the second; of a repeated section, the whole list.
    let copy: (GatewayConfiguration, inout GatewayConfiguration) -> Void

    fileprivate init<Whole: Equatable>(_ whole: WritableKeyPath<GatewayConfiguration, Whole>) {
      self.init(whole) { $0 }
    }

    fileprivate init<Whole, Part: Equatable>(
      _ whole: WritableKeyPath<GatewayConfiguration, Whole>, _ part: @escaping (Whole) -> Part
    ) {
      differs = { part($0[keyPath: whole]) != part($1[keyPath: whole]) }
      copy = { $1[keyPath: whole] = $0[keyPath: whole] }
    }

    /// Of the provider listeners, which stay as they are but for their `client-ca`.
    fileprivate init<Part: Equatable>(of part: KeyPath<GatewayConfiguration.ProviderListener, Part>) {
      differs = { $0.providers.map { $0[keyPath: part] } != $1.providers.map { $0[keyPath: part] } }
      copy = { $1.providers = $0.providers.takingClientCAs(from: $1.providers) }
    }

    private init(
      differs: @escaping (GatewayConfiguration, GatewayConfiguration) -> Bool,
      copy: @escaping (GatewayConfiguration, inout GatewayConfiguration) -> Void
    ) {
      self.differs = differs
      self.copy = copy
    }

    /// It reloads in listeners that are open; in those that a restart will bring it comes with them.
    fileprivate static var clientCAs: Slot {
      Slot(
        differs: { $0.providers.takingClientCAs(from: $1.providers) != $0.providers },
        copy: { $1.providers = $0.providers })
    }
  }

  /// nil for keys that the running gateway does not know.
  var slot: Slot? {
    switch self {
    case .loops: Slot(\.loops)

    case .providerListen: Slot(of: \.listen)
    case .providerEnvironment: Slot(of: \.environment)
    case .providerCleartext: Slot(of: \.cleartext)
    case .providerIdleTimeout: Slot(of: \.idleTimeout)
    case .providerClientCA: .clientCAs

    case .providerKeyTeam: Slot(\.providerKeys) { $0.map(\.team) }
    case .providerKeyID: Slot(\.providerKeys) { $0.map(\.keyID) }
    case .providerKeyFile: Slot(\.providerKeys) { $0.map(\.pem) }
    case .providerKeyEnvironment: Slot(\.providerKeys) { $0.map(\.environment) }
    case .providerKeyScope: Slot(\.providerKeys) { $0.map(\.scope) }
    case .providerKeyTopics: Slot(\.providerKeys) { $0.map(\.topics) }

    case .deviceListen: Slot(\.device) { $0?.listen }
    case .deviceHeartbeat: Slot(\.device) { $0?.heartbeat }

    case .enrolmentKeyFile: Slot(\.enrolments) { $0.map(\.key) }
    case .enrolmentBundleIDs: Slot(\.enrolments) { $0.map(\.bundleIDs) }
    case .enrolmentEnvironments: Slot(\.enrolments) { $0.map(\.environments) }
    case .enrolmentMaximumDevices: Slot(\.enrolments) { $0.map(\.maximumDevices) }
    case .enrolmentPerMinute: Slot(\.enrolments) { $0.map(\.perMinute) }
    case .enrolmentPerAddress: Slot(\.enrolments) { $0.map(\.perAddressPerMinute) }

    case .adminSocket: Slot(\.admin.socket)
    case .adminListen: Slot(\.admin.listen)
    case .adminTokenFile: Slot(\.admin.token)

    case .tlsCertificate: Slot(\.tls) { $0?.certificateChain }
    case .tlsKey: Slot(\.tls) { $0?.privateKey }
    case .tlsCA: nil

    case .storeDatabase: Slot(\.store.database)
    case .storeDurability: Slot(\.store.durability)

    case .checksPayload: Slot(\.checks.payload)
    case .checksPushType: Slot(\.checks.pushType)
    case .checksPushesPerTokenPerMinute: Slot(\.checks.pushesPerTokenPerMinute)

    case .budgetMode: Slot(\.budget.standard.mode)
    case .budgetOverBudget: Slot(\.budget.overBudget)
    case .budgetRefreshesPerDay: Slot(\.budget.standard.refreshesPerDay)
    case .budgetBurst: Slot(\.budget.standard.burst)
    case .budgetMinimumInterval: Slot(\.budget.standard.minimumInterval)

    case .overrideBundleID: Slot(\.budget.overrides) { $0.map(\.bundleID) }
    case .overrideKind: Slot(\.budget.overrides) { $0.map(\.kind) }
    case .overrideFamily: Slot(\.budget.overrides) { $0.map(\.family) }
    case .overridePlatform: Slot(\.budget.overrides) { $0.map(\.platform) }
    case .overrideMode: Slot(\.budget.overrides) { $0.map(\.mode) }
    case .overrideRefreshesPerDay: Slot(\.budget.overrides) { $0.map(\.refreshesPerDay) }
    case .overrideBurst: Slot(\.budget.overrides) { $0.map(\.burst) }
    case .overrideMinimumInterval: Slot(\.budget.overrides) { $0.map(\.minimumInterval) }

    case .developerModeAllowed: Slot(\.developerMode.allowed)
    case .developerModeLongest: Slot(\.developerMode.longest)
    case .developerModeDeviceSwitch: Slot(\.developerMode.deviceSwitch)

    case .deliveryLowPriorityWindow: Slot(\.delivery.lowPriorityWindow)
    case .deliveryRetention: Slot(\.delivery.retention)

    case .explainProduction: Slot(\.explain.production)
    case .explainDecisions: Slot(\.explain.decisions)
    case .explainRefusedPushes: Slot(\.explain.refusedPushes)
    case .explainRetention: Slot(\.explain.retention)

    case .lifecycleDrain: Slot(\.drain)

    case .limitsConnections: Slot(\.limits.connections)
    case .limitsConnectionsPerAddress: Slot(\.limits.connectionsPerAddress)
    case .limitsStreams: Slot(\.limits.streams)
    case .limitsHeaderListBytes: Slot(\.limits.headerListBytes)
    case .limitsHandshakes: Slot(\.limits.handshakes)
    case .limitsHandshakesPerTurn: Slot(\.limits.handshakesPerTurn)
    case .limitsRequestTimeout: Slot(\.limits.requestTimeout)
    case .limitsHandshakeTimeout: Slot(\.limits.handshakeTimeout)
    case .limitsResetsPerMinute: Slot(\.limits.resetsPerMinute)
    case .limitsErrorsPerMinute: Slot(\.limits.errorsPerMinute)
    case .limitsStoreBacklogBytes: Slot(\.limits.storeBacklogBytes)

    case .logLevel: Slot(\.log.level)
    case .logFormat: Slot(\.log.format)
    }
  }
}
