import BudgetThrottle
import Foundation
import GatewayCore
import Testing
import TokenStore

@testable import ConfigurationFile

/// Protects the promise that a configuration is either taken whole as written, or refused with file, line, key and
/// what was expected.
@Suite("Configuration file") struct ConfigurationFileTests {
  @Test("Every key finds its place") func everyKey() throws {
    let fixture = try ConfigurationFixture()
    let loaded = try fixture.load(
      """
      loops = 1
      [[provider]]
      listen = "[0:0::1]:2197"
      environment = "development"
      cleartext = true
      idle-timeout = "90s"
      [[provider]]
      listen = "unix:production.sock"
      environment = "production"
      [[provider-key]]
      team = "A1B2C3D4E5"
      key-id = "F6G7H8J9K0"
      file = "provider.p8"
      environment = "production"
      topics = ["com.example.caffeine", "com.example.tea.*"]
      [device]
      listen = "127.0.0.1:0"
      heartbeat = "5s"
      [[enrolment]]
      key-file = "enrolment.key"
      bundle-ids = ["*"]
      environments = ["production", "development"]
      maximum-devices = 7
      per-minute = 0
      [admin]
      socket = "admin.sock"
      listen = "0.0.0.0:9197"
      token-file = "admin.token"
      [tls]
      certificate = "server.pem"
      key = "server.key"
      ca = "ca.pem"
      [store]
      database = "data/gateway.sqlite"
      durability = "relaxed"
      [checks]
      payload = "lenient"
      push-type = "lenient"
      pushes-per-token-per-minute = 0
      [budget]
      mode = "shadow"
      over-budget = "reject"
      refreshes-per-day = 86404
      burst = 5
      minimum-interval = "250ms"
      [[budget.override]]
      bundle-id = "com.example.caffeine"
      kind = "caffeine"
      family = "systemSmall"
      platform = "watchOS"
      mode = "off"
      refreshes-per-day = 70
      burst = 6
      minimum-interval = "5m"
      [developer-mode]
      allowed = false
      longest = "1h"
      device-switch = false
      [delivery]
      low-priority-window = "0s"
      retention = "2d"
      [lifecycle]
      drain = "3s"
      [limits]
      connections = 10
      connections-per-address = 2
      streams = 3
      header-list-bytes = 4096
      handshakes = 8
      handshakes-per-turn = 5
      request-timeout = "9s"
      handshake-timeout = "1500ms"
      resets-per-minute = 6
      errors-per-minute = 7
      store-backlog-bytes = 65536
      [log]
      level = "debug"
      format = "json"
      """)
    let gateway = loaded.gateway
    let folder = fixture.folder.path
    #expect(
      gateway.providers == [
        .init(
          listen: .tcp(host: "::1", port: 2197), environment: .development, cleartext: true, idleTimeout: .seconds(90)),
        .init(listen: .unix(path: folder + "/production.sock"), environment: .production),
      ])
    #expect(gateway.providerKeys.map(\.team) == ["A1B2C3D4E5"])
    #expect(gateway.providerKeys.map(\.keyID) == ["F6G7H8J9K0"])
    #expect(gateway.providerKeys.map(\.environment) == [.production])
    #expect(gateway.providerKeys.flatMap(\.topics).map(\.description) == ["com.example.caffeine", "com.example.tea.*"])
    #expect(gateway.providerKeys.first?.pem.revealed.starts(with: Array("-----BEGIN PRIVATE".utf8)) == true)
    #expect(gateway.device == .init(listen: .tcp(host: "127.0.0.1", port: 0), heartbeat: .seconds(5)))
    #expect(gateway.enrolments.map(\.key.revealed) == ["open-sesame"])
    #expect(gateway.enrolments.map(\.environments) == [[.production, .development]])
    #expect(gateway.enrolments.map(\.maximumDevices) == [7])
    #expect(gateway.enrolments.map(\.perMinute) == [0])
    #expect(gateway.admin.socket == folder + "/admin.sock")
    #expect(gateway.admin.listen == .tcp(host: "0.0.0.0", port: 9197))
    #expect(gateway.admin.token?.revealed == "let-me-in")
    #expect(gateway.tls?.certificateChain.isEmpty == false)
    #expect(gateway.tls?.privateKey.revealed.isEmpty == false)
    #expect(gateway.store == .init(database: folder + "/data/gateway.sqlite", durability: .relaxed))
    #expect(gateway.checks.payload == .lenient && gateway.checks.pushType == .lenient)
    #expect(gateway.checks.pushesPerTokenPerMinute == 0)
    var override = BudgetPolicySet.Override(
      bundleID: "com.example.caffeine", kind: "caffeine", family: "systemSmall", platform: "watchOS")
    override.mode = .off
    override.refreshesPerDay = 70
    override.burst = 6
    override.minimumInterval = 300_000
    #expect(
      gateway.budget
        == BudgetPolicySet(
          standard: .init(mode: .shadow, refreshesPerDay: 86404, burst: 5, minimumInterval: 250),
          overBudget: .reject, overrides: [override]))
    #expect(!gateway.developerMode.allowed && !gateway.developerMode.deviceSwitch)
    #expect(gateway.developerMode.longest == 3_600_000)
    #expect(gateway.delivery.lowPriorityWindow == .zero && gateway.delivery.retention == .seconds(2 * 86400))
    #expect(gateway.drain == .seconds(3))
    #expect(gateway.limits.connections == 10 && gateway.limits.connectionsPerAddress == 2)
    #expect(gateway.limits.streams == 3 && gateway.limits.headerListBytes == 4096)
    #expect(gateway.limits.handshakesPerTurn == 5 && gateway.limits.handshakeTimeout == .milliseconds(1500))
    #expect(gateway.limits.handshakes == 8 && gateway.limits.requestTimeout == .seconds(9))
    #expect(gateway.limits.errorsPerMinute == 7)
    #expect(gateway.limits.resetsPerMinute == 6 && gateway.limits.storeBacklogBytes == 65536)
    #expect(gateway.log.level == .debug && gateway.log.format == .json)
    #expect(loaded.outline.caFile == folder + "/ca.pem")
    #expect(loaded.outline.adminTokenFile == folder + "/admin.token")
    #expect(loaded.outline.enrolments.map(\.keyFile) == [folder + "/enrolment.key"])
    #expect(loaded.line(of: .providerListen, occurrence: 1) == 8)
    #expect(loaded.line(of: .tlsKey) == 31)
  }

  @Test("A plain fault is one line that names the key and what was expected", arguments: PlainFault.all)
  func plainFaults(fault: PlainFault) throws {
    let fixture = try ConfigurationFixture()
    let expected = "gatewayd.toml:\(fault.line): \(fault.text)"
    #expect(fixture.faults(fault.before + ConfigurationFixture.least + fault.after) == [expected])
  }

  @Test("All faults are reported, in the order of the lines") func allFaults() throws {
    let fixture = try ConfigurationFixture()
    let faults = fixture.faults(
      """
      [budget]
      burst = true
      [[provider]]
      listen = "localhost:2197"
      [store]
      databse = "x"
      """)
    #expect(faults.count == 5)
    #expect(
      faults.map { $0.split(separator: ":").prefix(3).joined(separator: ":") } == [
        "gatewayd.toml:2: budget.burst", "gatewayd.toml:3: provider.environment", "gatewayd.toml:3: tls.certificate",
        "gatewayd.toml:4: provider.listen",
        "gatewayd.toml:6: store.databse",
      ])
  }

  @Test("A text that is not TOML is refused at its line") func notTOML() throws {
    let fixture = try ConfigurationFixture()
    let faults = fixture.faults("[budget]\nburst = \n")
    #expect(faults.count == 1)
    #expect(faults.first?.hasPrefix("gatewayd.toml:2: column ") == true)
    #expect(faults.first?.contains("not TOML") == true)
    #expect(fixture.faults("[log]\n[log]\n").first?.hasPrefix("gatewayd.toml:2:") == true)
  }

  @Test(
    "Bytes that are no text at all are refused and nothing worse",
    arguments: [
      [0xFF, 0xFE, 0x00], [UInt8](repeating: 0x5B, count: 5000), Array("a = \"\\u0000\"".utf8), [0], [],
    ] as [[UInt8]])
  func noText(bytes: [UInt8]) throws {
    #expect(throws: ConfigurationErrors.self) {
      try ConfigurationFile.read(
        bytes, file: "gatewayd.toml", opensFiles: true, environment: .init(workingDirectory: "/"))
    }
  }

  @Test("A missing file says which one and what makes it") func missingFile() throws {
    do {
      _ = try ConfigurationFile.load("/nonexistent/gatewayd.toml")
      Issue.record("a file that is not there was read")
    } catch {
      #expect(error.description.hasPrefix("/nonexistent/gatewayd.toml: cannot read the configuration: no such file"))
      #expect(error.description.contains("gatewayd init"))
    }
  }

  @Test("The outline needs no file but the configuration itself") func outline() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("gatewayd.toml", ConfigurationFixture.least)
    #expect(throws: ConfigurationErrors.self) { try ConfigurationFile.load(path) }
    let outline = try ConfigurationFile.outline(path)
    #expect(outline.providers.map(\.listen.description) == ["127.0.0.1:2197"])
    #expect(outline.providerKeys.map(\.file) == [folder.path + "/provider.p8"])
    #expect(outline.adminSocket == "/run/gatewayd/admin.sock")
    #expect(outline.adminListen == .tcp(host: "127.0.0.1", port: 9197))
  }

  @Test("An empty socket or address in [admin] means that there is none") func adminOff() throws {
    let fixture = try ConfigurationFixture()
    let loaded = try fixture.load(ConfigurationFixture.least + "socket = \"\"\nlisten = \"\"\n")
    #expect(loaded.gateway.admin == .init())
  }

  @Test("What works and is hardly meant is a warning") func warnings() throws {
    let fixture = try ConfigurationFixture()
    #expect(try fixture.warnings(ConfigurationFixture.least) == [])
    #expect(
      try fixture.warnings(
        """
        [[provider]]
        listen = "[::1]:2198"
        environment = "production"
        cleartext = true
        """) == [
          "gatewayd.toml: warning: no [admin] section, so gatewayctl, health checks and Prometheus cannot reach this "
            + "gateway",
          "gatewayd.toml:1: warning: no [[provider-key]] for production, so every push on [::1]:2198 is refused",
        ])
  }
}
