import CommandLineInterface
import GatewayCore
import Glibc
import TokenStore

/// `gatewayd init`
enum InitCommand {
  private static let directory = CommandOption.value(
    "directory", "DIR", short: "d", help: "where to put everything; made if it is not there")
  private static let bundleID = CommandOption.repeatable(
    "bundle-id", "ID", short: "b", help: "an app that may be pushed to; repeat for more")
  private static let providerPort = port("provider-port", "backends, development", 2197)
  private static let productionPort = port("production-port", "backends, production", 2198)
  private static let devicePort = port("device-port", "devices", 5223)
  private static let adminPort = port("admin-port", "health and metrics", 9197)
  private static let clientCertificate = CommandOption.flag(
    "client-certificate", help: "also make a certificate with which a backend needs no provider token")
  private static let json = CommandOption.flag("json", help: "print what was made as JSON")

  private static func port(_ name: String, _ use: String, _ standard: UInt16) -> CommandOption {
    .value(name, "PORT", help: "port for \(use); 0 is any free one", standard: "\(standard)")
  }

  static let command = Command(
    "init", summary: "Makes keys, certificates and a configuration for this machine.",
    discussion: """
      Nothing is overwritten. The CA's own key is thrown away after it has issued the one server certificate.
      """,
    options: [directory, bundleID, providerPort, productionPort, devicePort, adminPort, clientCertificate, json],
    examples: [.init("gatewayd init --directory dev --bundle-id com.example.caffeine", "then serve it")]
  ) { invocation in
    let text = try invocation.required(directory)
    guard !text.isEmpty else { throw invocation.refusing(directory, text, expected: "a folder") }
    _ = try invocation.required(bundleID)
    let bundleIDs = try invocation.values(bundleID).map { text in
      guard let bundleID = BundleID(text) else {
        throw invocation.refusing(bundleID, text, expected: "a bundle ID such as com.example.caffeine")
      }
      return bundleID
    }
    var ports = DevelopmentSetup.Ports()
    for (option, path) in [
      (providerPort, \DevelopmentSetup.Ports.provider), (productionPort, \.production), (devicePort, \.device),
      (adminPort, \.admin),
    ] {
      if let number = try invocation.integer(option, in: 0...65_535) { ports[keyPath: path] = UInt16(number) }
    }
    let setup = try DevelopmentSetup(
      directory: absolute(text), bundleIDs: bundleIDs, ports: ports,
      withClientCertificate: invocation.has(clientCertificate))
    let made = try setup.make(wallSeconds: Int64(time(nil)))
    invocation.output.print(invocation.has(json) ? jsonText(of: made) : InitCommand.text(of: made))
    return .success
  }

  private static func absolute(_ path: String) -> String {
    if path.hasPrefix("/") { return path }
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
    let working = getcwd(&buffer, buffer.count).map { String(cString: $0) } ?? "."
    return working == "/" ? "/" + path : working + "/" + path
  }

  static func text(of made: DevelopmentSetup.Made) -> String {
    """
    Made in \(made.directory):
      gatewayd.toml            the configuration
      ca.pem                   for your backend to trust; its own key is gone
      server.pem, server.key   the gateway's certificate, for localhost and Apple's push hosts
      AuthKey_\(made.keyID).p8    for your backend to sign with: key \(made.keyID), team \(made.team)
      enrolment.key            for devices to enrol with\(clientLines(made))
    Next:
      gatewayd serve --config \(quoted(made.configuration))
    """
  }

  private static func clientLines(_ made: DevelopmentSetup.Made) -> String {
    guard made.hasClientCertificate else { return "" }
    return """

        client.pem, client.key   for a backend to show in place of provider tokens
        client-ca.pem            who has issued it; its own key is gone
      """
  }

  static func jsonText(of made: DevelopmentSetup.Made) -> String {
    var writer = JSONTextWriter()
    writer.beginObject()
    writer.key("configuration")
    writer.string(made.configuration)
    writer.key("ca")
    writer.string(made.ca)
    writer.key("certificate")
    writer.string(made.certificate)
    writer.key("providerKey")
    writer.beginObject()
    writer.key("team")
    writer.string(made.team)
    writer.key("keyID")
    writer.string(made.keyID)
    writer.key("file")
    writer.string(made.providerKey)
    writer.endObject()
    writer.key("enrolmentKey")
    writer.string(made.enrolmentKey)
    if made.hasClientCertificate {
      writer.key("clientCertificate")
      writer.beginObject()
      writer.key("certificate")
      writer.string(made.clientCertificate)
      writer.key("key")
      writer.string(made.clientKey)
      writer.key("ca")
      writer.string(made.clientCA)
      writer.endObject()
    }
    writer.key("adminSocket")
    writer.string(made.adminSocket)
    writer.key("bundleIDs")
    writer.beginArray()
    for bundleID in made.bundleIDs { writer.string(bundleID.description) }
    writer.endArray()
    writer.endObject()
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  /// So that the line works when it is pasted into a shell.
  private static func quoted(_ path: String) -> String {
    let isPlain = path.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "/._-+@:".contains($0)) }
    return isPlain
      ? path : "'" + path.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
  }
}
