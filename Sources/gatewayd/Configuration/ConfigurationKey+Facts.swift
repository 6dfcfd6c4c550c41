import BudgetThrottle
import GatewayCore
import TokenStore

extension ConfigurationKey {
  /// What there is to know about a key.
  package struct Facts: Sendable {
    package enum Default: Sendable {
      /// In TOML, as the file would say it.
      case value(String)
      /// The key must stand in its section; the example shows how.
      case required(example: String)
      /// What happens without it, and an example.
      case absent(String, example: String)
    }

    package enum Effect: String, Sendable {
      /// SIGHUP is enough.
      case reload
      /// Only a restart brings it in.
      case restart
    }

    package let section: ConfigurationSection
    package let kind: ConfigurationValueKind
    package let standard: Default
    package let effect: Effect
    /// What one counts, where the type does not say so.
    package let unit: String?
    /// One sentence or two.
    package let summary: String

    fileprivate init(
      _ section: ConfigurationSection, _ kind: ConfigurationValueKind, _ standard: Default, _ effect: Effect,
      unit: String? = nil, _ summary: String
    ) {
      self.section = section
      self.kind = kind
      self.standard = standard
      self.effect = effect
      self.unit = unit
      self.summary = summary
    }
  }

  private static let second: Int64 = 1000
  private static let minute: Int64 = 60 * second
  private static let hour: Int64 = 60 * minute
  private static let day: Int64 = 24 * hour

  private static func names<Name: CaseIterable & RawRepresentable>(_: Name.Type) -> [String]
  where Name.RawValue == String {
    Name.allCases.map(\.rawValue)
  }

  /// The table.
  package var facts: Facts {
    switch self {
    case .loops:
      Facts(
        .top, .wholeNumber(1...64), .value("1"), .restart,
        "Threads that serve connections. With more than one, the ledger that decides has a thread of its own.")

    case .providerListen:
      Facts(
        .provider, .address(orNone: false), .value(#""[::]:2197""#), .restart,
        "Where backends connect. [::] takes IPv4 as well; port 0 is any free one.")
    case .providerEnvironment:
      Facts(
        .provider, .choice(Self.names(GatewayEnvironment.self)), .required(example: #""development""#), .restart,
        "Whose registrations this listener reaches, as Apple has a host for each.")
    case .providerCleartext:
      Facts(
        .provider, .boolean, .value("false"), .restart,
        "HTTP/2 with prior knowledge and without TLS. On loopback and Unix sockets only.")
    case .providerClientCA:
      Facts(
        .provider, .path(orNone: false),
        .absent("Provider tokens are the only credential.", example: #""/etc/gatewayd/clients.pem""#), .reload,
        "PEM: who issues client certificates. Whoever shows one of theirs needs no provider token; its own topics count."
      )
    case .providerIdleTimeout:
      Facts(
        .provider, .duration(Self.second...7 * Self.day), .value(#""1h""#), .restart,
        "A connection without a request for so long is closed.")

    case .providerKeyTeam:
      Facts(
        .providerKey, .identifier(count: 10), .required(example: #""A1B2C3D4E5""#), .reload,
        "The team, as the token's iss names it.")
    case .providerKeyID:
      Facts(
        .providerKey, .identifier(count: 10), .required(example: #""F6G7H8J9K0""#), .reload,
        "The key, as the token's kid names it. Once for each environment.")
    case .providerKeyFile:
      Facts(
        .providerKey, .path(orNone: false), .required(example: #""AuthKey_F6G7H8J9K0.p8""#), .reload,
        "The .p8 file, or the PEM of its public key, which is enough to check tokens.")
    case .providerKeyEnvironment:
      Facts(
        .providerKey, .choice(Self.names(GatewayEnvironment.self)), .required(example: #""development""#), .reload,
        "Where the key is good.")
    case .providerKeyScope:
      Facts(
        .providerKey, .choice(Self.names(ProviderKeyScope.self)), .value(#""team""#), .reload,
        "As Apple made it: for all topics of the team, or topic-specific. One connection takes keys of one scope, and "
          + "topic-specific ones only with the same topics.")
    case .providerKeyTopics:
      Facts(
        .providerKey, .bundlePatterns, .required(example: #"["com.example.caffeine"]"#), .reload,
        "The apps it may push to.")

    case .deviceListen:
      Facts(
        .device, .address(orNone: false), .value(#""[::]:5223""#), .restart,
        "Where devices connect. [::] takes IPv4 as well; port 0 is any free one.")
    case .deviceHeartbeat:
      Facts(
        .device, .duration(Self.second...Self.hour), .value(#""25s""#), .restart,
        "How often an idle update stream gets a comment line, which keeps middleboxes from forgetting it.")

    case .enrolmentKeyFile:
      Facts(
        .enrolment, .path(orNone: false), .required(example: #""enrolment.key""#), .reload,
        "The file that holds the key, one line. A device sends it once, as its bearer token.")
    case .enrolmentBundleIDs:
      Facts(
        .enrolment, .bundlePatterns, .required(example: #"["com.example.*"]"#), .reload,
        "The apps that a device enrolled with it may register.")
    case .enrolmentEnvironments:
      Facts(
        .enrolment, .choices(Self.names(GatewayEnvironment.self)), .required(example: #"["development"]"#), .reload,
        "The environments that it may register them in.")
    case .enrolmentMaximumDevices:
      Facts(
        .enrolment, .wholeNumber(1...100_000_000), .value("1000000"), .reload, unit: "devices",
        "Devices that may enrol with this key in all.")
    case .enrolmentPerMinute:
      Facts(
        .enrolment, .wholeNumber(0...10_000_000), .value("6000"), .reload, unit: "enrolments a minute",
        "Enrolments with this key in a minute; 0 is no limit.")
    case .enrolmentPerAddress:
      Facts(
        .enrolment, .wholeNumber(0...10_000_000), .value("600"), .reload, unit: "enrolments a minute",
        "Those of them that may come from one address, so that one cannot use the key up for all; 0 is no limit. "
          + "A rig with many devices behind one address needs more.")

    case .adminSocket:
      Facts(
        .admin, .path(orNone: true), .value(#""/run/gatewayd/admin.sock""#), .restart,
        "A Unix socket, mode 0660, that serves everything to whoever may open it.")
    case .adminListen:
      Facts(
        .admin, .address(orNone: true), .value(#""127.0.0.1:9197""#), .restart,
        "Without a token /healthz, /readyz and /metrics only, with it everything. Not loopback: token-file is needed.")
    case .adminTokenFile:
      Facts(
        .admin, .path(orNone: false),
        .absent("TCP serves health, readiness and metrics only.", example: #""admin.token""#), .restart,
        "The file that holds the bearer token for TCP, one line.")

    case .tlsCertificate:
      Facts(
        .tls, .path(orNone: false),
        .absent("Needed unless every listener is cleartext.", example: #""server.pem""#), .reload,
        "PEM: the certificate, then its chain.")
    case .tlsKey:
      Facts(
        .tls, .path(orNone: false),
        .absent("Needed unless every listener is cleartext.", example: #""server.key""#), .reload,
        "PEM: the certificate's private key, without a passphrase.")
    case .tlsCA:
      Facts(
        .tls, .path(orNone: false), .absent("gatewayctl trusts what the system trusts.", example: #""ca.pem""#),
        .reload,
        "PEM: the CA that gatewayctl trusts when it calls this gateway. The gateway itself does not read it.")

    case .storeDatabase:
      Facts(
        .store, .path(orNone: false), .value(#""/var/lib/gatewayd/gateway.sqlite""#), .restart,
        "The SQLite file. Its folder must be on a local disk and writable.")
    case .storeDurability:
      Facts(
        .store, .choice(Self.names(StoreDurability.self)), .value(#""full""#), .restart,
        "full: an answer is given when the disk has it. relaxed: when the kernel has it, which outlives a crash of "
          + "the gateway and not a power cut.")

    case .checksPayload:
      Facts(
        .checks, .choice(Self.names(GatewayConfiguration.Checks.Strictness.self)), .value(#""strict""#), .reload,
        "strict refuses a payload that would refresh nothing and says why; lenient takes it as APNs may, and logs why.")
    case .checksPushType:
      Facts(
        .checks, .choice(Self.names(GatewayConfiguration.Checks.Strictness.self)), .value(#""strict""#), .reload,
        "lenient also takes no push type, alert and background, for client libraries that do not know widgets.")
    case .checksPushesPerTokenPerMinute:
      Facts(
        .checks, .wholeNumber(0...1_000_000_000), .value("600"), .reload, unit: "pushes a minute",
        "Pushes to one device token before 429 TooManyRequests; 0 is no limit.")

    case .budgetMode:
      Facts(
        .budget, .choice(Self.names(BudgetPolicy.Mode.self)), .value(#""enforce""#), .reload,
        "enforce withholds what is over budget, shadow only counts, off does neither.")
    case .budgetOverBudget:
      Facts(
        .budget, .choice(Self.names(BudgetPolicySet.OverBudget.self)), .value(#""defer""#), .reload,
        "A push whose every widget lacks budget: defer answers 200 and refreshes later, reject answers 429.")
    case .budgetRefreshesPerDay:
      Facts(
        .budget, .wholeNumber(BudgetPolicy.refreshesPerDayRange), .value("50"), .reload, unit: "refreshes in 24 hours",
        "The most that one widget gets in any 24 hours. Apple's advice is 40 to 70.")
    case .budgetBurst:
      Facts(
        .budget, .wholeNumber(BudgetPolicy.refreshesPerDayRange),
        .absent("A tenth of refreshes-per-day, at least 1 and at most 4.", example: "4"), .reload, unit: "refreshes",
        "How many of them may come at once. Below refreshes-per-day, unless that is 1.")
    case .budgetMinimumInterval:
      Facts(
        .budget, .duration(0...Self.day), .value(#""0s""#), .reload,
        "The shortest time between two refreshes of one widget. Apple's advice is 5 minutes.")

    case .overrideBundleID:
      Facts(
        .budgetOverride, .bundleID, .absent("Any app.", example: #""com.example.caffeine""#), .reload,
        "The app that it is for.")
    case .overrideKind:
      Facts(
        .budgetOverride, .text(maximumBytes: 128), .absent("Any kind.", example: #""caffeine""#), .reload,
        "The widget kind that it is for.")
    case .overrideFamily:
      Facts(
        .budgetOverride, .choice(Self.names(WidgetFamily.self)), .absent("Any family.", example: #""systemSmall""#),
        .reload, "The widget family that it is for.")
    case .overridePlatform:
      Facts(
        .budgetOverride, .choice(Self.names(Platform.self)), .absent("Any platform.", example: #""watchOS""#), .reload,
        "The platform that it is for.")
    case .overrideMode:
      Facts(
        .budgetOverride, .choice(Self.names(BudgetPolicy.Mode.self)),
        .absent("As in [budget].", example: #""shadow""#), .reload, "As in [budget].")
    case .overrideRefreshesPerDay:
      Facts(
        .budgetOverride, .wholeNumber(BudgetPolicy.refreshesPerDayRange),
        .absent("As in [budget].", example: "70"), .reload, unit: "refreshes in 24 hours", "As in [budget].")
    case .overrideBurst:
      Facts(
        .budgetOverride, .wholeNumber(BudgetPolicy.refreshesPerDayRange),
        .absent("From the override's refreshes-per-day if it has one, else as in [budget].", example: "7"), .reload,
        unit: "refreshes", "As in [budget].")
    case .overrideMinimumInterval:
      Facts(
        .budgetOverride, .duration(0...Self.day), .absent("As in [budget].", example: #""5m""#), .reload,
        "As in [budget].")

    case .developerModeAllowed:
      Facts(
        .developerMode, .boolean, .value("true"), .reload,
        "false: nobody can switch it on, and grants that stand have no effect.")
    case .developerModeLongest:
      Facts(
        .developerMode, .duration(Self.second...30 * Self.day), .value(#""8h""#), .reload,
        "The longest grant.")
    case .developerModeDeviceSwitch:
      Facts(
        .developerMode, .boolean, .value("true"), .reload,
        "Whether a device may switch itself on with its own key, as the switch on Apple's devices does.")

    case .deliveryLowPriorityWindow:
      Facts(
        .delivery, .duration(0...10 * Self.minute), .value(#""2s""#), .reload,
        "How long a refresh of priority 5 or 1 may wait for company.")
    case .deliveryRetention:
      Facts(
        .delivery, .duration(Self.minute...366 * Self.day), .value(#""30d""#), .reload,
        "How long a refresh waits for a device at most, and how long a retired token is answered 410.")

    case .explainProduction:
      Facts(
        .explain, .boolean, .value("false"), .reload,
        "Whether pushes to production are explained too. Those to development always are.")
    case .explainDecisions:
      Facts(
        .explain, .wholeNumber(1000...1_000_000), .value("100000"), .reload, unit: "decisions",
        "Decisions that are kept, the newest ones; a push makes two to four. About 40 bytes of memory and of disk each "
          + "under load, more where every push is a commit of its own, at most 128.")
    case .explainRefusedPushes:
      Facts(
        .explain, .wholeNumber(10...100_000), .value("1000"), .reload, unit: "pushes",
        "Refused pushes that are kept, in memory only. Those without a valid credential have 256 places of their own.")
    case .explainRetention:
      Facts(
        .explain, .duration(Self.minute...366 * Self.day), .value(#""7d""#), .reload,
        "How long decisions are kept. They go within a minute after.")

    case .lifecycleDrain:
      Facts(
        .lifecycle, .duration(0...Self.hour), .value(#""30s""#), .reload,
        "How long a stop waits for what is under way. Keep TimeoutStopSec of the unit above it.")

    case .limitsConnections:
      Facts(
        .limits, .wholeNumber(1...1_000_000), .value("20000"), .restart, unit: "connections",
        "Connections in all. About 45 KB of memory each; LimitNOFILE must be above it.")
    case .limitsConnectionsPerAddress:
      Facts(
        .limits, .wholeNumber(0...1_000_000), .value("0"), .restart, unit: "connections",
        "Connections from one address; 0 is no limit.")
    case .limitsStreams:
      Facts(
        .limits, .wholeNumber(1...1000), .value("1000"), .restart, unit: "streams",
        "Requests that one provider connection may have under way. APNs allows 1000.")
    case .limitsHeaderListBytes:
      Facts(
        .limits, .wholeNumber(1024...65_536), .value("8000"), .restart, unit: "bytes",
        "Size of one request's header list as RFC 9113 §10.5.1 counts it. APNs allows 8000.")
    case .limitsHandshakes:
      Facts(
        .limits, .wholeNumber(1...100_000), .value("1000"), .restart, unit: "handshakes",
        "TLS handshakes under way at once. One more ends the oldest, which an honest client has done with by then.")
    case .limitsHandshakesPerTurn:
      Facts(
        .limits, .wholeNumber(1...10_000), .value("16"), .restart, unit: "handshakes",
        "TLS handshakes begun before other work gets its turn, so that a reconnect storm delays no push for long.")
    case .limitsHandshakeTimeout:
      Facts(
        .limits, .duration(100...5 * Self.minute), .value(#""10s""#), .restart,
        "From accept to the end of the TLS handshake.")
    case .limitsRequestTimeout:
      Facts(
        .limits, .duration(1000...Self.hour), .value(#""1m""#), .reload,
        "From the beginning of a request to its end. One that is not whole by then is reset.")
    case .limitsResetsPerMinute:
      Facts(
        .limits, .wholeNumber(1...1_000_000), .value("1000"), .restart, unit: "resets a minute",
        "Streams that one connection may reset in a minute before it is closed.")
    case .limitsErrorsPerMinute:
      Facts(
        .limits, .wholeNumber(0...1_000_000), .value("1000"), .reload, unit: "errors a minute",
        "Refused pushes that one provider connection may have in a minute before it is closed, as APNs does it. "
          + "BadDeviceToken counts twice; 410, TooManyRequests and 5xx do not count; an accepted push makes one good. "
          + "0 is no limit.")
    case .limitsStoreBacklogBytes:
      Facts(
        .limits, .wholeNumber(65_536...1_073_741_824), .value("16777216"), .restart, unit: "bytes",
        "Accepted work that may wait for the disk before pushes are answered 503.")

    case .logLevel:
      Facts(
        .log, .choice(Self.names(GatewayConfiguration.LogLevel.self)), .value(#""info""#), .reload,
        "The least level that is written.")
    case .logFormat:
      Facts(
        .log, .choice(Self.names(GatewayConfiguration.Log.Format.self)), .value(#""text""#), .restart,
        "text and json go to standard error, a line each; journal goes to systemd's journal with its fields.")
    }
  }
}
