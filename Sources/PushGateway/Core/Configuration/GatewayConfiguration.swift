public import BudgetThrottle
public import TokenStore

/// Everything a gateway needs to know, as values. It knows no file: the daemon reads `gatewayd.toml` into it, a test
/// fills it in by hand. The defaults are those of `config/gatewayd.toml`.
public struct GatewayConfiguration: Sendable {
  public struct ProviderListener: Sendable, Equatable {
    public var listen: ListenAddress
    public var environment: GatewayEnvironment
    /// HTTP/2 with prior knowledge and no TLS; only where ``ListenAddress/isLocal``.
    public var cleartext: Bool
    /// PEM: whoever shows a certificate that these have issued needs no provider token; nil: no certificate is asked for.
    public var clientCA: [UInt8]?
    public var idleTimeout: Duration

    public init(
      listen: ListenAddress, environment: GatewayEnvironment, cleartext: Bool = false, clientCA: [UInt8]? = nil,
      idleTimeout: Duration = .seconds(3600)
    ) {
      self.listen = listen
      self.environment = environment
      self.cleartext = cleartext
      self.clientCA = clientCA
      self.idleTimeout = idleTimeout
    }
  }

  public struct ProviderKey: Sendable, Equatable {
    /// Ten characters, as `iss` names it.
    public var team: String
    /// Ten characters, as `kid` names it.
    public var keyID: String
    /// The `.p8` file's text, or a PEM public key.
    public var pem: Secret<[UInt8]>
    public var environment: GatewayEnvironment
    /// As Apple made it. Decides only which keys may follow one another on a connection.
    public var scope: ProviderKeyScope
    /// Bundle IDs; `com.example.*` allowed. Never empty.
    public var topics: [BundlePattern]

    public init(
      team: String, keyID: String, pem: Secret<[UInt8]>, environment: GatewayEnvironment,
      scope: ProviderKeyScope = .team, topics: [BundlePattern]
    ) {
      self.team = team
      self.keyID = keyID
      self.pem = pem
      self.environment = environment
      self.scope = scope
      self.topics = topics
    }
  }

  public struct DeviceListener: Sendable, Equatable {
    public var listen: ListenAddress
    /// How often an idle update stream gets a comment line.
    public var heartbeat: Duration

    public init(listen: ListenAddress = .tcp(host: "::", port: 5223), heartbeat: Duration = .seconds(25)) {
      self.listen = listen
      self.heartbeat = heartbeat
    }
  }

  public struct Enrolment: Sendable, Equatable {
    public var key: Secret<String>
    public var bundleIDs: [BundlePattern]
    public var environments: [GatewayEnvironment]
    /// Devices that may enrol with this key in all.
    public var maximumDevices: Int
    /// Enrolments a minute with this key; 0 = no limit.
    public var perMinute: Int
    /// Enrolments a minute with this key from one address; 0 = no limit.
    public var perAddressPerMinute: Int

    public init(
      key: Secret<String>, bundleIDs: [BundlePattern], environments: [GatewayEnvironment],
      maximumDevices: Int = 1_000_000, perMinute: Int = 6000, perAddressPerMinute: Int = 600
    ) {
      self.key = key
      self.bundleIDs = bundleIDs
      self.environments = environments
      self.maximumDevices = maximumDevices
      self.perMinute = perMinute
      self.perAddressPerMinute = perAddressPerMinute
    }
  }

  public struct Admin: Sendable, Equatable {
    public var socket: String?
    public var listen: ListenAddress?
    /// Without one, TCP serves only health, readiness and metrics.
    public var token: Secret<String>?

    public init(socket: String? = nil, listen: ListenAddress? = nil, token: Secret<String>? = nil) {
      self.socket = socket
      self.listen = listen
      self.token = token
    }
  }

  public struct TLSIdentity: Sendable, Equatable {
    /// PEM: the certificate, then its chain.
    public var certificateChain: [UInt8]
    public var privateKey: Secret<[UInt8]>

    public init(certificateChain: [UInt8], privateKey: Secret<[UInt8]>) {
      self.certificateChain = certificateChain
      self.privateKey = privateKey
    }
  }

  public struct Store: Sendable, Equatable {
    public var database: String
    public var durability: StoreDurability

    public init(database: String, durability: StoreDurability = .full) {
      self.database = database
      self.durability = durability
    }
  }

  public struct Checks: Sendable, Equatable {
    public enum Strictness: String, CaseIterable, Sendable { case strict, lenient }

    public var payload: Strictness = .strict
    public var pushType: Strictness = .strict
    /// 0 = no limit.
    public var pushesPerTokenPerMinute = 600

    public init() {}
  }

  public struct Delivery: Sendable, Equatable {
    public var lowPriorityWindow: Duration = .seconds(2)
    public var retention: Duration = .seconds(30 * 86400)

    public init() {}
  }

  /// What is remembered for `explain`.
  public struct Explain: Sendable, Equatable {
    /// Pushes to production registrations too; those to development ones always are.
    public var production = false
    public var decisions = 100_000
    public var refusedPushes = 1000
    public var retention: Duration = .seconds(7 * 86400)

    public init() {}
  }

  public struct Limits: Sendable, Equatable {
    /// Connections in all.
    public var connections = 20_000
    /// Connections from one address; 0 = no limit.
    public var connectionsPerAddress = 0
    /// Streams that one provider connection may have open.
    public var streams = 1000
    /// Size of a header list as RFC 9113 §10.5.1 counts it; what APNs announces.
    public var headerListBytes = 8000
    /// TLS handshakes under way at once.
    public var handshakes = 1000
    /// TLS handshakes begun in one turn of the loop.
    public var handshakesPerTurn = 16
    /// From a request's first frame to its last.
    public var requestTimeout: Duration = .seconds(60)
    /// Time from accept to the end of the handshake.
    public var handshakeTimeout: Duration = .seconds(10)
    /// Stream resets one connection may send in a minute before it is closed.
    public var resetsPerMinute = 1000
    /// Refused pushes one provider connection may have in a minute before it is closed; 0 = no limit.
    public var errorsPerMinute = 1000
    /// Bytes of accepted work that may wait for the store before the door answers 503.
    public var storeBacklogBytes = 16 << 20

    public init() {}
  }

  public enum LogLevel: String, CaseIterable, Sendable, Comparable {
    case debug, info, warning, error
    private var weight: Int { Self.allCases.firstIndex(of: self) ?? 0 }
    public static func < (left: Self, right: Self) -> Bool { left.weight < right.weight }
  }

  public struct Log: Sendable, Equatable {
    public enum Format: String, CaseIterable, Sendable { case text, json, journal }
    public var level: LogLevel = .info
    public var format: Format = .text
    public init() {}
  }

  public var loops = 1
  public var providers: [ProviderListener] = []
  public var providerKeys: [ProviderKey] = []
  public var device: DeviceListener? = DeviceListener()
  public var enrolments: [Enrolment] = []
  public var admin = Admin()
  public var tls: TLSIdentity?
  public var store: Store
  public var checks = Checks()
  public var budget = BudgetPolicySet()
  public var developerMode = DeveloperModeRules()
  public var delivery = Delivery()
  public var explain = Explain()
  /// How long a drain may take before what is left is closed.
  public var drain: Duration = .seconds(30)
  public var limits = Limits()
  public var log = Log()

  public init(store: Store) { self.store = store }
}
