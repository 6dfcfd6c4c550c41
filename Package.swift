// swift-tools-version: 6.2
import PackageDescription

/// The house rules: every Swift target is built with these, so a warning anywhere stops the build.
let house: [SwiftSetting] = [
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
]

let package = Package(
  name: "gatewayd",
  products: [
    .library(
      name: "PushGateway", targets: ["PushGateway", "GatewayCore", "GatewayReports", "BudgetThrottle", "TokenStore"]),
    .executable(name: "gatewayd", targets: ["gatewayd"]),
    .executable(name: "gatewayctl", targets: ["gatewayctl"]),
  ],
  targets: [
    // C libraries, each with exactly one importing folder (see ARCHITECTURE.md).
    .systemLibrary(name: "CNGHTTP2", pkgConfig: "libnghttp2", providers: [.apt(["libnghttp2-dev"])]),
    .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CSystemd", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
    .systemLibrary(
      name: "CMicroHTTPD", pkgConfig: "libmicrohttpd", providers: [.apt(["libmicrohttpd-dev"])]),
    .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    .target(name: "CLinux"),
    // toml++ is C++: it stays behind an `extern "C"` header. Its .pc file carries -D flags that SwiftPM
    // refuses, hence the defines here and no pkgConfig.
    .target(
      name: "CToml",
      cxxSettings: [.define("TOML_HEADER_ONLY", to: "0"), .define("TOML_SHARED_LIB", to: "1")],
      linkerSettings: [.linkedLibrary("tomlplusplus")]),

    // Pure: no C, no sockets, no clocks, no threads.
    .target(name: "HTTPMessage", path: "Sources/PushGateway/Message", swiftSettings: house),
    .target(name: "BudgetThrottle", swiftSettings: house),
    .target(name: "TokenStore", exclude: ["SQLite"], swiftSettings: house),
    .target(
      name: "GatewayCore", dependencies: ["HTTPMessage", "BudgetThrottle", "TokenStore"],
      path: "Sources/PushGateway/Core", swiftSettings: house),
    .target(name: "GatewayReports", path: "Sources/PushGateway/Reports", swiftSettings: house),

    // Adapters.
    .target(
      name: "TokenStoreSQLite", dependencies: ["TokenStore", "CSQLite"],
      path: "Sources/TokenStore/SQLite", swiftSettings: house),
    .target(
      name: "GatewayIO", dependencies: ["HTTPMessage", "CNGHTTP2", "COpenSSL", "CLinux"],
      path: "Sources/PushGateway/IO", swiftSettings: house),

    // Where they meet.
    .target(
      name: "PushGateway",
      dependencies: [
        "HTTPMessage", "BudgetThrottle", "TokenStore", "TokenStoreSQLite", "GatewayCore", "GatewayIO",
        "GatewayReports",
      ],
      exclude: ["Core", "IO", "Message", "Reports"], swiftSettings: house),

    // Programs.
    .target(name: "CommandLineInterface", swiftSettings: house),
    .target(
      name: "ConfigurationFile",
      dependencies: ["GatewayCore", "BudgetThrottle", "TokenStore", "CommandLineInterface", "CToml"],
      path: "Sources/gatewayd/Configuration", swiftSettings: house),
    .executableTarget(
      name: "gatewayd",
      dependencies: [
        "PushGateway", "GatewayCore", "GatewayIO", "GatewayReports", "ConfigurationFile",
        "CommandLineInterface", "TokenStore", "CMicroHTTPD", "CSystemd", "CLinux",
      ],
      exclude: ["Configuration"], swiftSettings: house),
    .executableTarget(
      name: "gatewayctl",
      dependencies: [
        "GatewayCore", "GatewayIO", "HTTPMessage", "GatewayReports", "ConfigurationFile",
        "TokenStore", "TokenStoreSQLite", "CommandLineInterface", "CCurl",
      ],
      swiftSettings: house),

    // Tests.
    .target(
      name: "GatewayTestKit",
      dependencies: ["GatewayCore", "GatewayIO", "GatewayReports", "HTTPMessage", "TokenStore", "PushGateway"],
      path: "Tests/GatewayTestKit", swiftSettings: house),
    .target(name: "SeededRandom", path: "Tests/SeededRandom", swiftSettings: house),
    .testTarget(
      name: "BudgetThrottleTests", dependencies: ["BudgetThrottle", "SeededRandom"], swiftSettings: house),
    .testTarget(
      name: "TokenStoreTests", dependencies: ["TokenStore", "TokenStoreSQLite", "StoreCrashWriter"],
      swiftSettings: house),
    .executableTarget(
      name: "StoreBenchmark", dependencies: ["TokenStore", "TokenStoreSQLite"], path: "Benchmarks/StoreBenchmark",
      swiftSettings: house),
    .executableTarget(
      name: "LedgerBenchmark", dependencies: ["GatewayCore", "BudgetThrottle", "TokenStore", "CLinux"],
      path: "Benchmarks/LedgerBenchmark", swiftSettings: house),
    .executableTarget(
      name: "MicroBenchmark",
      dependencies: ["CAllocations", "GatewayCore", "HTTPMessage", "BudgetThrottle", "TokenStore"],
      path: "Benchmarks/MicroBenchmark", swiftSettings: house),
    // Counts what a program asks the heap for; for programs that measure, never for those that serve.
    .target(name: "CAllocations", path: "Benchmarks/CAllocations"),
    // What a push asks the heap for on its loop; `make allocations` builds it for release.
    .executableTarget(
      name: "PushAllocations",
      dependencies: [
        "CAllocations", "PushGateway", "GatewayReports", "GatewayTestKit", "GatewayCore", "GatewayIO", "TokenStore",
      ],
      path: "Tests/PushAllocations", swiftSettings: house),
    // A process that writes to a store until SQLiteCrashTests kill it.
    .executableTarget(
      name: "StoreCrashWriter", dependencies: ["TokenStore", "TokenStoreSQLite"], path: "Tests/StoreCrashWriter",
      swiftSettings: house),
    // Plays the ledger from seeds; `make simulate` builds it for release, the tests use it as a library.
    .executableTarget(
      name: "LedgerSimulation", dependencies: ["GatewayCore", "BudgetThrottle", "TokenStore", "SeededRandom"],
      path: "Tests/LedgerSimulation", exclude: ["README.md"], swiftSettings: house),
    .testTarget(
      name: "GatewayCoreTests",
      dependencies: ["GatewayCore", "HTTPMessage", "BudgetThrottle", "TokenStore", "SeededRandom", "LedgerSimulation"],
      swiftSettings: house),
    .testTarget(
      name: "GatewayIOTests", dependencies: ["GatewayIO", "HTTPMessage"], swiftSettings: house),
    .testTarget(
      name: "GatewaydTests",
      dependencies: [
        "gatewayd", "ConfigurationFile", "GatewayCore", "GatewayIO", "GatewayReports", "BudgetThrottle", "TokenStore",
        "CommandLineInterface", "GatewayTestKit",
      ],
      swiftSettings: house),
    .testTarget(
      name: "GatewayctlTests",
      dependencies: [
        "gatewayctl", "gatewayd", "CommandLineInterface", "ConfigurationFile", "GatewayCore", "GatewayIO",
        "GatewayReports", "GatewayTestKit", "HTTPMessage", "PushGateway", "TokenStore",
      ],
      swiftSettings: house),
    .testTarget(
      name: "IntegrationTests",
      dependencies: [
        "PushGateway", "GatewayTestKit", "GatewayCore", "GatewayIO", "GatewayReports", "HTTPMessage", "TokenStore",
        "BudgetThrottle",
      ], swiftSettings: house),
    .testTarget(name: "ArchitectureTests", dependencies: ["GatewayCore"], swiftSettings: house),
  ],
  swiftLanguageModes: [.v6],
  cxxLanguageStandard: .cxx17
)
