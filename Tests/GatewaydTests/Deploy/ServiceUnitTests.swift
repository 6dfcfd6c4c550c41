import ConfigurationFile
import Foundation
import GatewayCore
import Testing

/// Protects `deploy/gatewayd.service` from contradicting the gateway's own defaults.
@Suite("Service unit") struct ServiceUnitTests {
  private let text: String

  init() throws { text = try String(contentsOf: DeployFolder.file("gatewayd.service"), encoding: .utf8) }

  private func value(_ name: String) throws -> String {
    let line = text.split(separator: "\n").first { $0.hasPrefix(name + "=") }
    return String(try #require(line, "\(name)= is not in the unit").dropFirst(name.count + 1))
  }

  private func seconds(_ name: String) throws -> Int64 {
    try #require(DurationText.milliseconds(try value(name))) / 1000
  }

  @Test("A stop has more time than the drain") func stopTime() throws {
    let drain = GatewayConfiguration(store: .init(database: "x")).drain
    #expect(.seconds(try seconds("TimeoutStopSec")) > drain)
  }

  @Test("It starts with the configuration that the programs look for") func configuration() throws {
    #expect(try value("ExecStart") == "/usr/bin/gatewayd serve --config \(ConfigurationFile.standardPath)")
    #expect(ConfigurationFile.standardPath.hasPrefix("/etc/\(try value("ConfigurationDirectory"))/"))
  }

  @Test("Its folders are those of the default paths") func folders() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("gatewayd.toml", ConfigurationFixture.least)
    let outline = try ConfigurationFile.outline(path)
    #expect(outline.database.hasPrefix("/var/lib/\(try value("StateDirectory"))/"))
    #expect(outline.adminSocket?.hasPrefix("/run/\(try value("RuntimeDirectory"))/") == true)
  }

  @Test("It may open more files than there may be connections") func descriptors() throws {
    let limit = try #require(Int(try value("LimitNOFILE")))
    let connections = GatewayConfiguration.Limits().connections
    #expect(limit >= connections + connections / 8 + 448)
  }

  @Test("A crash leaves neither a dump nor a backtrace, which would hold keys") func crash() throws {
    #expect(try value("LimitCORE") == "0")
    #expect(try value("Environment") == "SWIFT_BACKTRACE=enable=no")
  }

  @Test("systemd has nothing to say about the units", .enabled(if: DeployFolder.hasAnalyzer)) func verify() throws {
    // The program need not be installed where the tests run.
    let folder = try TemporaryFolder()
    let service = try folder.write(
      "gatewayd.service",
      text.replacingOccurrences(of: "ExecStart=/usr/bin/gatewayd", with: "ExecStart=/bin/true"),
      mode: 0o644)
    let socket = try folder.write(
      "gatewayd.socket", try String(contentsOf: DeployFolder.file("gatewayd.socket"), encoding: .utf8), mode: 0o644)
    let said = try DeployFolder.analyze(["verify", "--man=no", service, socket])
    // An unknown key is only a line on standard error, with exit code 0. Other units of the machine are not ours.
    let ours = said.text.split(separator: "\n").filter { $0.contains("gatewayd") }
    #expect(ours == [])
    #expect(said.code == 0, "\(said.text)")
  }

  /// systemd counts from 0, shut in, to 10. What is left: it listens on the network and on a Unix socket, sees the boot's
  /// id in /proc and other users on the admin socket.
  @Test("The service is exposed to little", .enabled(if: DeployFolder.hasAnalyzer)) func exposure() throws {
    let unit = DeployFolder.file("gatewayd.service").path
    let said = try DeployFolder.analyze(["security", "--offline=yes", "--no-pager", "--threshold=15", unit])
    #expect(said.code == 0, "\(said.text)")
    #expect(said.text.contains("Overall exposure level for gatewayd.service: 1."))
  }
}
