import CommandLineInterface
import Foundation
import Testing
import TokenStore

@testable import gatewayd

/// Protects `gatewayd check` from saying yes to what would not start: each fault that only parsing finds, at its line.
@Suite("Check command") struct CheckCommandTests {
  private let folder: TemporaryFolder
  private let made: DevelopmentSetup.Made

  init() throws {
    folder = try TemporaryFolder()
    let bundleID = try #require(BundleID("com.example.caffeine"))
    made = try DevelopmentSetup(directory: folder.path + "/dev", bundleIDs: [bundleID])
      .make(wallSeconds: Int64(Date().timeIntervalSince1970))
  }

  private func check() -> (code: ExitCode, output: String, error: String) {
    let output = Output.captured()
    let code = CheckCommand.command.run(["--config", made.configuration], output: output)
    return (code, output.printedText, output.errorText.replacingOccurrences(of: made.directory + "/", with: ""))
  }

  private func line(_ text: String) throws -> Int {
    let lines = try folder.contents("dev/gatewayd.toml").split(separator: "\n", omittingEmptySubsequences: false)
    return try #require(lines.firstIndex { $0.hasPrefix(text) }) + 1
  }

  @Test("A good one is said to be good, with its listeners") func good() {
    let result = check()
    #expect(result.code == .success)
    #expect(result.error == "")
    #expect(result.output.contains("127.0.0.1:2197") && result.output.contains("127.0.0.1:5223"))
  }

  @Test("A key that is not the certificate's is found") func mismatch() throws {
    let other = try DevelopmentSetup(directory: folder.path + "/other", bundleIDs: made.bundleIDs)
      .make(wallSeconds: Int64(Date().timeIntervalSince1970))
    try FileManager.default.removeItem(atPath: made.key)
    try FileManager.default.copyItem(atPath: other.key, toPath: made.key)
    let result = check()
    #expect(result.code == .failure)
    #expect(result.output == "")
    #expect(result.error.hasPrefix("gatewayd.toml:\(try line("certificate =")): tls.certificate: "))
    #expect(result.error.contains("server.pem with server.key: cannot be used: "))
    #expect(result.error.contains("the key does not match the certificate"))
  }

  @Test("A provider key that only looks like one is found, at its own entry") func providerKey() throws {
    try folder.write("dev/shaped.p8", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n")
    var text = try folder.contents("dev/gatewayd.toml")
    let last = try #require(text.range(of: "AuthKey_\(made.keyID).p8", options: .backwards))
    text.replaceSubrange(last, with: "shaped.p8")
    try folder.write("dev/gatewayd.toml", text)
    let result = check()
    #expect(result.code == .failure)
    #expect(result.error.hasPrefix("gatewayd.toml:\(try line("file = \"shaped.p8\"")): provider-key.file: "))
    #expect(result.error.contains("shaped.p8: cannot be used: "))
    #expect(result.error.split(separator: "\n").count == 1)
  }

  @Test("A database in a folder that is not there is found") func database() throws {
    let text = try folder.contents("dev/gatewayd.toml").replacingOccurrences(
      of: "gateway.sqlite", with: "no/such.sqlite")
    try folder.write("dev/gatewayd.toml", text)
    let result = check()
    #expect(result.code == .failure)
    #expect(
      result.error == "gatewayd.toml:\(try line("database =")): store.database: the folder no does not exist; make it, "
        + "or let StateDirectory= of the unit\n")
  }

  @Test("All faults of the file itself are there at once, and exit code 1") func faults() throws {
    try folder.write("dev/gatewayd.toml", "[budget]\nburst = 0\n[log]\nlevel = \"loud\"\n")
    let result = check()
    #expect(result.code == .failure)
    #expect(result.error.split(separator: "\n").count == 3)
    #expect(result.error.contains("gatewayd.toml:2: budget.burst: ") && result.error.contains(":4: log.level: "))
  }
}
