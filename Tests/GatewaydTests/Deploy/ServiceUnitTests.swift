import ConfigurationFile
import Foundation
import GatewayCore
import Testing

/// Protects `deploy/gatewayd.service` from contradicting the gateway's own defaults.
@Suite("Service unit") struct ServiceUnitTests {
  private static let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("deploy/gatewayd.service")
  private static let analyzer = "/usr/bin/systemd-analyze"
  private let text: String

  init() throws { text = try String(contentsOf: Self.file, encoding: .utf8) }

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
    #expect(limit > GatewayConfiguration.Limits().connections)
  }

  @Test(
    "systemd has nothing to say about it", .enabled(if: FileManager.default.isExecutableFile(atPath: Self.analyzer)))
  func verify() throws {
    // The program need not be installed where the tests run.
    let folder = try TemporaryFolder()
    let unit = try folder.write(
      "gatewayd.service",
      text.replacingOccurrences(of: "ExecStart=/usr/bin/gatewayd", with: "ExecStart=/bin/true"),
      mode: 0o644)
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(fileURLWithPath: Self.analyzer)
    process.arguments = ["verify", "--man=no", unit]
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let said = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    // An unknown key is only a line on standard error, with exit code 0. Other units of the machine are not ours.
    let ours = said.split(separator: "\n").filter { $0.contains("gatewayd") }
    #expect(ours == [])
    #expect(process.terminationStatus == 0, "\(said)")
  }
}
