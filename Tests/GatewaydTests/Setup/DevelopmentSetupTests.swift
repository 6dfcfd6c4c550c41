import BudgetThrottle
import CommandLineInterface
import ConfigurationFile
import Foundation
import GatewayCore
import GatewayIO
import Testing
import TokenStore

@testable import gatewayd

/// Protects `gatewayd init`: what it makes works, what is secret is closed, and it makes everything or nothing.
@Suite("Development setup") struct DevelopmentSetupTests {
  private static let now = Int64(Date().timeIntervalSince1970)

  private func setup(_ directory: String, ports: DevelopmentSetup.Ports = .init()) throws -> DevelopmentSetup {
    let bundleIDs = try ["com.example.caffeine", "com.example.tea"].map { try #require(BundleID($0)) }
    return try DevelopmentSetup(directory: directory, bundleIDs: bundleIDs, ports: ports)
  }

  @Test("What is made loads without error or warning and passes the check") func loads() throws {
    let folder = try TemporaryFolder()
    let made = try setup(folder.path + "/dev").make(wallSeconds: Self.now)
    let loaded = try ConfigurationFile.load(made.configuration)
    #expect(loaded.warnings == [])
    let check = ConfigurationCheck(loaded)
    #expect(check.errors == [] && check.warnings == [])
    let gateway = loaded.gateway
    #expect(
      gateway.providers.map { "\($0.listen) \($0.environment)" } == [
        "127.0.0.1:2197 development", "127.0.0.1:2198 production",
      ])
    #expect(gateway.device?.listen.description == "127.0.0.1:5223")
    #expect(gateway.admin.socket == made.adminSocket)
    #expect(gateway.admin.listen?.description == "127.0.0.1:9197")
    #expect(gateway.providerKeys.map(\.environment) == GatewayEnvironment.allCases)
    #expect(Set(gateway.providerKeys.map(\.keyID)) == [made.keyID])
    #expect(gateway.providerKeys.first?.topics.map(\.description) == ["com.example.caffeine", "com.example.tea"])
    #expect(gateway.enrolments.first?.key.revealed.count == 64)
    #expect(gateway.budget == .init(), "the budget that the file spells out is the default one")
    #expect(loaded.outline.caFile == made.ca)
    let signing = try ES256SigningKey(pem: Array(Data(contentsOf: URL(fileURLWithPath: made.providerKey))))
    let verifying = try ES256PublicKey(pem: try #require(gateway.providerKeys.first).pem.revealed)
    #expect(verifying.verify(signature: try signing.sign([1, 2, 3]), of: [1, 2, 3]))
  }

  @Test("With a client certificate both listeners take it, for all the apps, and its key is closed")
  func clientCertificate() throws {
    let folder = try TemporaryFolder()
    let bundleIDs = try ["com.example.caffeine", "com.example.tea"].map { try #require(BundleID($0)) }
    let made = try DevelopmentSetup(directory: folder.path + "/dev", bundleIDs: bundleIDs, withClientCertificate: true)
      .make(wallSeconds: Self.now)
    let loaded = try ConfigurationFile.load(made.configuration)
    #expect(loaded.warnings == [])
    #expect(ConfigurationCheck(loaded).errors == [])
    let clientCA = try folder.contents("dev/client-ca.pem")
    #expect(loaded.gateway.providers.map(\.clientCA) == [Array(clientCA.utf8), Array(clientCA.utf8)])
    #expect(loaded.outline.clientCAFiles == [made.clientCA, made.clientCA])
    let mode = try FileManager.default.attributesOfItem(atPath: made.clientKey)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    let identity = CertificateAndKey(
      certificateChain: Array(try folder.contents("dev/client.pem").utf8),
      privateKey: Array(try folder.contents("dev/client.key").utf8))
    #expect(throws: Never.self) { try TLSContext.client(trust: .system, identity: identity) }
    #expect(InitCommand.text(of: made).contains("client.pem, client.key   for a backend"))
    #expect(
      InitCommand.jsonText(of: made).contains(#""clientCertificate":{"certificate":"\#(made.clientCertificate)""#))
    let without = try setup(folder.path + "/without").make(wallSeconds: Self.now)
    #expect(!InitCommand.text(of: without).contains("client") && !folder.names.contains("client.key"))
    #expect(try !folder.contents("without/gatewayd.toml").contains("client-ca"))
  }

  @Test("The folder and the secrets are the owner's alone") func modes() throws {
    let folder = try TemporaryFolder()
    let made = try setup(folder.path + "/dev").make(wallSeconds: Self.now)
    func mode(_ path: String) throws -> Int? {
      try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }
    #expect(try mode(made.directory) == 0o700)
    for secret in [made.key, made.providerKey, made.enrolmentKey] { #expect(try mode(secret) == 0o600) }
    for open in [made.ca, made.certificate, made.configuration] { #expect(try mode(open) == 0o644) }
  }

  @Test("Two setups share no secret") func fresh() throws {
    let folder = try TemporaryFolder()
    let first = try setup(folder.path + "/a").make(wallSeconds: Self.now)
    let second = try setup(folder.path + "/b").make(wallSeconds: Self.now)
    #expect(first.keyID != second.keyID)
    for name in ["server.key", "enrolment.key", "ca.pem"] {
      #expect(try folder.contents("a/" + name) != folder.contents("b/" + name))
    }
  }

  @Test("Ports can be chosen, and none may be there twice") func ports() throws {
    let folder = try TemporaryFolder()
    var ports = DevelopmentSetup.Ports()
    ports.provider = 0
    ports.production = 0
    ports.device = 12_345
    let made = try setup(folder.path + "/dev", ports: ports).make(wallSeconds: Self.now)
    let gateway = try ConfigurationFile.load(made.configuration).gateway
    #expect(gateway.providers.map(\.listen.description) == ["127.0.0.1:0", "127.0.0.1:0"])
    #expect(gateway.device?.listen.description == "127.0.0.1:12345")
    ports.admin = 12_345
    #expect(throws: SetupError("two listeners cannot have the same port")) {
      try setup(folder.path + "/other", ports: ports)
    }
  }

  @Test("An existing file is named and nothing is touched", arguments: ["ca.pem", "server.key", "gatewayd.toml"])
  func overwritesNothing(name: String) throws {
    let folder = try TemporaryFolder()
    try folder.write(name, "mine")
    let setup = try setup(folder.path)
    let error = #expect(throws: SetupError.self) { try setup.make(wallSeconds: Self.now) }
    #expect(error?.description.contains("\(folder.path)/\(name) is there already") == true)
    #expect(folder.names == [name])
    #expect(try folder.contents(name) == "mine")
  }

  @Test("An empty folder that is there may be used, and a failure empties it again") func failureLeavesNothing() throws
  {
    let folder = try TemporaryFolder()
    let files = NewFiles(directory: folder.path)
    let missingFolder = NewFiles.File(name: "no/such", bytes: [1], isSecret: false)
    let error = #expect(throws: SetupError.self) {
      try files.make([.init(name: "first", bytes: [1], isSecret: true), missingFolder])
    }
    #expect(error?.description.hasPrefix("cannot make \(folder.path)/no/such: ") == true)
    #expect(folder.names.isEmpty)
    let new = NewFiles(directory: folder.path + "/new")
    #expect(throws: SetupError.self) { try new.make([.init(name: "a", bytes: [], isSecret: true), missingFolder]) }
    #expect(folder.names.isEmpty, "a folder that was made for it goes too")
    _ = try setup(folder.path).make(wallSeconds: Self.now)
    #expect(folder.names.contains("gatewayd.toml"))
  }

  @Test(
    "A place that cannot be used is one line",
    arguments: [
      ("/proc/nobody/dev", "the folder around it does not exist"), ("/dev/null", "is no folder"),
      ("/tmp/" + String(repeating: "d", count: 100), "choose a shorter --directory"),
    ])
  func badPlaces(directory: String, part: String) throws {
    let error = #expect(throws: SetupError.self) { try setup(directory).make(wallSeconds: Self.now) }
    #expect(error?.description.contains(part) == true)
    #expect(error?.description.contains("\n") == false)
  }

  @Test("The command prints what it made, and as JSON where asked") func command() throws {
    let folder = try TemporaryFolder()
    let output = Output.captured()
    let arguments = ["--directory", folder.path + "/dev room", "--bundle-id", "com.example.caffeine"]
    #expect(InitCommand.command.run(arguments, output: output) == .success)
    #expect(output.printedText.contains("gatewayd serve --config '\(folder.path)/dev room/gatewayd.toml'"))
    let json = Output.captured()
    let more = ["--directory", folder.path + "/two", "--bundle-id", "a.b", "--bundle-id", "c.d", "--json"]
    #expect(InitCommand.command.run(more, output: json) == .success)
    let object = try JSONSerialization.jsonObject(with: Data(json.printedText.utf8)) as? [String: Any]
    #expect(object?["configuration"] as? String == folder.path + "/two/gatewayd.toml")
    #expect(object?["bundleIDs"] as? [String] == ["a.b", "c.d"])
    #expect((object?["providerKey"] as? [String: String])?["team"] == "DEVELOPERS")
  }

  @Test(
    "A wrong use is told and makes nothing",
    arguments: [
      ["--bundle-id", "a.b"], ["--directory", "/tmp/gatewayd-never-made"],
      ["--directory", "/tmp/gatewayd-never-made", "--bundle-id", "a..b"],
      ["--directory", "/tmp/gatewayd-never-made", "--bundle-id", "a.b", "--device-port", "65536"],
    ])
  func usage(arguments: [String]) {
    let output = Output.captured()
    #expect(InitCommand.command.run(arguments, output: output) == .usage)
    #expect(output.errorText.hasPrefix("init: --"))
    #expect(!FileManager.default.fileExists(atPath: "/tmp/gatewayd-never-made"))
  }
}
