/// Which modules each folder may import. The longest folder that a file lies in decides; a folder of its own rule
/// lists all that it may have.
enum ImportRules {
  /// What an adapter may take from the toolchain. FoundationNetworking is nowhere: the gateway calls nobody. Nor is
  /// Foundation itself: its tables for all languages would be two thirds of a statically linked program.
  private static let system: Set<String> = ["Glibc", "FoundationEssentials", "Dispatch", "Synchronization"]
  /// Codable for JSON that is not on the push path; no sockets, no clocks, no threads.
  private static let pureSystem: Set<String> = ["FoundationEssentials"]
  private static let core: Set<String> = ["BudgetThrottle", "TokenStore", "HTTPMessage", "GatewayCore"]

  static let table: [String: Set<String>] = [
    "Sources/BudgetThrottle": [],
    "Sources/TokenStore": [],
    "Sources/PushGateway/Message": [],
    "Sources/PushGateway/Core": pureSystem.union(["BudgetThrottle", "TokenStore", "HTTPMessage"]),
    "Sources/PushGateway/Reports": pureSystem,

    "Sources/TokenStore/SQLite": system.union(["TokenStore", "CSQLite"]),
    "Sources/PushGateway/IO": system.union(["HTTPMessage"]),
    "Sources/PushGateway/IO/EventLoop": system.union(["HTTPMessage", "CLinux"]),
    "Sources/PushGateway/IO/HTTP2": system.union(["HTTPMessage", "CNGHTTP2"]),
    "Sources/PushGateway/IO/TLS": system.union(["HTTPMessage", "COpenSSL"]),

    "Sources/PushGateway": system.union(core).union(["TokenStoreSQLite", "GatewayIO", "GatewayReports"]),

    "Sources/CommandLineInterface": system,
    "Sources/gatewayd": daemon,
    "Sources/gatewayd/Admin": daemon.union(["CMicroHTTPD"]),
    "Sources/gatewayd/Systemd": daemon.union(["CSystemd"]),
    "Sources/gatewayd/Configuration": system.union([
      "GatewayCore", "BudgetThrottle", "TokenStore", "CommandLineInterface", "CToml",
    ]),
    "Sources/gatewayctl": client,
    "Sources/gatewayctl/Admin": client.union(["CCurl"]),
    // A backup is looked at before it is called one.
    "Sources/gatewayctl/Backup": client.union(["TokenStoreSQLite"]),
  ]

  private static let daemon = system.union(core).union([
    "PushGateway", "GatewayIO", "GatewayReports", "ConfigurationFile", "CommandLineInterface", "CLinux",
  ])
  private static let client = system.union(core).union([
    "GatewayIO", "GatewayReports", "ConfigurationFile", "CommandLineInterface",
  ])

  /// C modules, each with the folders that may import it: one, and for CLinux also the daemon, for its signals.
  static let homes: [String: Set<String>] = [
    "CNGHTTP2": ["Sources/PushGateway/IO/HTTP2"],
    "COpenSSL": ["Sources/PushGateway/IO/TLS"],
    "CSQLite": ["Sources/TokenStore/SQLite"],
    "CMicroHTTPD": ["Sources/gatewayd/Admin"],
    "CSystemd": ["Sources/gatewayd/Systemd"],
    "CToml": ["Sources/gatewayd/Configuration"],
    "CCurl": ["Sources/gatewayctl/Admin"],
    // Brings a malloc of its own: nothing that serves may have it.
    "CAllocations": [],
    "CLinux": [
      "Sources/PushGateway/IO/EventLoop", "Sources/gatewayd", "Sources/gatewayd/Admin", "Sources/gatewayd/Systemd",
    ],
  ]

  /// The rule's folder that `path` lies in.
  static func folder(of path: String) -> String? {
    table.keys.filter { path.hasPrefix($0 + "/") }.max { $0.count < $1.count }
  }

  /// One sentence for each import in `source` that `path` may not have; it begins with file and line.
  static func violations(in source: String, at path: String) -> [String] {
    guard let folder = folder(of: path), let allowed = table[folder] else {
      return ["\(path):1: no rule says what this folder may import; add it to ImportRules.table"]
    }
    return ImportScanner.imports(in: source).filter { !allowed.contains($0.module) }.map {
      "\(path):\($0.line): \(folder) may not import \($0.module)"
    }
  }
}
