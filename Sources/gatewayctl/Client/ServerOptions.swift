import CommandLineInterface
import ConfigurationFile
import FoundationEssentials
import GatewayCore
import GatewayIO

/// How `push` and `simulate` find and trust a listener: from the configuration, or told by hand.
enum ServerOptions {
  static let server = CommandOption.value(
    "server", "HOST:PORT", help: "the listener, in place of the configuration's")
  static let serverName = CommandOption.value(
    "server-name", "NAME", help: "what the certificate must be made for", standard: "the host")
  static let ca = CommandOption.value(
    "ca", "FILE", help: "whom to trust (PEM)", standard: "[tls] ca of the configuration, or the system's")

  static let all = [server, serverName, ca]

  /// - Parameters:
  ///   - listen: the configured listener.
  ///   - cleartext: it is served without TLS.
  ///   - identity: the client certificate to show.
  static func target(
    _ invocation: Invocation, listen: ListenAddress?, cleartext: Bool, caFile: String?,
    identity: CertificateAndKey? = nil
  ) throws -> ServerTarget {
    var host: String
    let address: SocketAddress
    if let text = invocation.value(server) {
      let parts = try hostAndPort(text, invocation)
      host = parts.host
      address = .tcp(host: try HostName.resolve(parts.host), port: parts.port)
    } else {
      switch listen {
      case nil: throw UsageError("--server HOST:PORT is required: no configuration names one", help: invocation.command)
      case .unix(let path):
        host = "localhost"
        address = .unix(path: path)
      case .tcp(let listening, let port):
        // Who listens everywhere is reached here; `gatewayd init` makes certificates for localhost.
        let isEverywhere = listening == "::" || listening == "0.0.0.0"
        address = .tcp(host: isEverywhere ? "127.0.0.1" : listening, port: port)
        host = isEverywhere || address.isLocal ? "localhost" : listening
      }
    }
    if let name = invocation.value(serverName) { host = name }
    guard !cleartext || invocation.value(server) != nil else {
      guard identity == nil else { throw CommandFailure("a listener without TLS sees no client certificate") }
      return ServerTarget(address: address, security: .cleartext)
    }
    let trust: TLSContext.Trust
    if let file = invocation.value(ca) ?? caFile {
      trust = .certificates(try InputFile.read(file, what: "the CA file"))
    } else {
      trust = .system
    }
    do {
      return ServerTarget(
        address: address, security: .tls(try TLSContext.client(trust: trust, identity: identity), host: host))
    } catch {
      throw CommandFailure("\(error)")
    }
  }

  /// `[v6]:port`, `host:port`.
  private static func hostAndPort(_ text: String, _ invocation: Invocation) throws -> (host: String, port: UInt16) {
    let wrong = invocation.refusing(server, text, expected: "HOST:PORT, such as localhost:2197 or [::1]:2197")
    guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]), port > 0 else {
      throw wrong
    }
    var host = text[..<colon]
    if host.hasPrefix("["), host.hasSuffix("]") {
      host = host.dropFirst().dropLast()
    } else if host.contains(":") {
      throw wrong
    }
    guard !host.isEmpty else { throw wrong }
    return (String(host), port)
  }
}
