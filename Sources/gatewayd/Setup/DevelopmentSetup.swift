import ConfigurationFile
import GatewayCore
import GatewayIO
import TokenStore

/// What a laptop needs to run a gateway: certificates, keys and a configuration, in one folder.
struct DevelopmentSetup: Sendable {
  /// 0: any free port.
  struct Ports: Sendable {
    var provider: UInt16 = 2197
    var production: UInt16 = 2198
    var device: UInt16 = 5223
    var admin: UInt16 = 9197

    init() {}

    var all: [UInt16] { [provider, production, device, admin] }
  }

  /// What was made. Paths are absolute, for the next commands to be pasted anywhere.
  struct Made: Sendable, Equatable {
    let directory: String
    let team: String
    let keyID: String
    let bundleIDs: [BundleID]
    let hasClientCertificate: Bool

    var configuration: String { directory + "/gatewayd.toml" }
    var ca: String { directory + "/ca.pem" }
    var certificate: String { directory + "/server.pem" }
    var key: String { directory + "/server.key" }
    var providerKey: String { "\(directory)/AuthKey_\(keyID).p8" }
    var enrolmentKey: String { directory + "/enrolment.key" }
    var adminSocket: String { directory + "/admin.sock" }
    var clientCA: String { directory + "/client-ca.pem" }
    var clientCertificate: String { directory + "/client.pem" }
    var clientKey: String { directory + "/client.key" }
  }

  /// Ten characters, as Apple's have.
  static let team = "DEVELOPERS"

  private let directory: String
  private let bundleIDs: [BundleID]
  private let ports: Ports
  private let withClientCertificate: Bool

  /// - Parameters:
  ///   - directory: absolute; made if it is not there.
  ///   - bundleIDs: at least one.
  ///   - withClientCertificate: also a certificate with which a backend needs no provider token.
  init(
    directory: String, bundleIDs: [BundleID], ports: Ports = Ports(), withClientCertificate: Bool = false
  ) throws(SetupError) {
    self.directory = directory.count > 1 && directory.hasSuffix("/") ? String(directory.dropLast()) : directory
    self.bundleIDs = bundleIDs
    self.ports = ports
    self.withClientCertificate = withClientCertificate
    guard !bundleIDs.isEmpty else { throw SetupError("no bundle ID, so nobody could push") }
    let wanted = ports.all.filter { $0 != 0 }
    guard Set(wanted).count == wanted.count else { throw SetupError("two listeners cannot have the same port") }
    // sockaddr_un holds 107 bytes and a NUL (unix(7)).
    let socket = self.directory + "/admin.sock"
    guard socket.utf8.count <= 107 else {
      throw SetupError(
        "the admin socket \(socket) would have a path of \(socket.utf8.count) bytes, and 107 is all that one may have; "
          + "choose a shorter --directory")
    }
  }

  /// Makes everything, or throws and leaves nothing of it behind.
  /// - Parameter wallSeconds: now, since 1970.
  func make(wallSeconds: Int64) throws(SetupError) -> Made {
    var random = SystemRandomNumberGenerator()
    let keyID = Self.identifier(using: &random)
    let made = Made(
      directory: directory, team: Self.team, keyID: keyID, bundleIDs: bundleIDs,
      hasClientCertificate: withClientCertificate)
    let enrolmentKey = (0..<4).map { _ in Self.hex(random.next()) }.joined()
    let identity: DevelopmentIdentity
    let providerKey: [UInt8]
    let clientFiles: [NewFiles.File]
    do throws(TLSError) {
      identity = try DevelopmentAuthority.issue(wallSeconds: wallSeconds)
      providerKey = try ES256SigningKey().pem()
      clientFiles = withClientCertificate ? try clientCertificate(wallSeconds: wallSeconds) : []
    } catch {
      throw SetupError("cannot make keys: \(error)")
    }
    // The configuration comes last: a folder that has one is whole.
    let files: [NewFiles.File] = [
      .init(name: "ca.pem", bytes: identity.caCertificate, isSecret: false),
      .init(name: "server.pem", bytes: identity.serverCertificate, isSecret: false),
      .init(name: "server.key", bytes: identity.serverKey, isSecret: true),
      .init(name: "AuthKey_\(keyID).p8", bytes: providerKey, isSecret: true),
      .init(name: "enrolment.key", bytes: Array("\(enrolmentKey)\n".utf8), isSecret: true),
    ]
    try NewFiles(directory: directory).make(
      files + clientFiles + [.init(name: "gatewayd.toml", bytes: Array(configuration(made).utf8), isSecret: false)])
    return made
  }

  /// As Apple makes them for providers: for both environments, with a list of topics only if there are several.
  private func clientCertificate(wallSeconds: Int64) throws(TLSError) -> [NewFiles.File] {
    let authority = try DevelopmentClientAuthority(wallSeconds: wallSeconds)
    let names = bundleIDs.map(\.description)
    var wish = DevelopmentClientAuthority.Wish(
      bundleIDs: Array(names.prefix(1)), team: Self.team, topics: names.count > 1 ? names.map { ($0, "app") } : nil)
    wish.isForProduction = true
    wish.validForSeconds = (DevelopmentAuthority.validDays - 2) * 86_400
    let identity = try authority.issue(wish)
    return [
      .init(name: "client-ca.pem", bytes: try authority.certificate(), isSecret: false),
      .init(name: "client.pem", bytes: identity.certificateChain, isSecret: false),
      .init(name: "client.key", bytes: identity.privateKey, isSecret: true),
    ]
  }

  private static func identifier(using random: inout SystemRandomNumberGenerator) -> String {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
    return String((0..<10).map { _ in alphabet[Int.random(in: alphabet.indices, using: &random)] })
  }

  private static func hex(_ number: UInt64) -> String {
    let text = String(number, radix: 16)
    return String(repeating: "0", count: 16 - text.count) + text
  }
}

// MARK: The configuration

extension DevelopmentSetup {
  private func configuration(_ made: Made) -> String {
    let apps = "[" + bundleIDs.map { "\"\($0)\"" }.joined(separator: ", ") + "]"
    let providerKeys = GatewayEnvironment.allCases.map { environment in
      """
      [[provider-key]]
      team = "\(made.team)"
      key-id = "\(made.keyID)"
      file = "AuthKey_\(made.keyID).p8"
      environment = "\(environment.rawValue)"
      topics = \(apps)
      """
    }.joined(separator: "\n\n")
    let clientCA =
      made.hasClientCertificate
      ? "\n# Who shows a certificate of this issuer, such as client.pem, needs no provider token.\nclient-ca = \"client-ca.pem\""
      : ""
    return """
      # A gateway for development on this machine, made by gatewayd init. Everything listens on loopback only.
      # Relative paths start at the folder of this file. docs/configuration.md explains every key.

      # Backends of the development environment connect here, as they would to api.sandbox.push.apple.com.
      [[provider]]
      listen = "127.0.0.1:\(ports.provider)"
      environment = "development"\(clientCA)

      # And those of the production environment here. Developer mode does nothing for registrations of this one.
      [[provider]]
      listen = "127.0.0.1:\(ports.production)"
      environment = "production"\(clientCA)

      # The key with which a backend signs its provider tokens; the same for both.
      \(providerKeys)

      # Devices connect here.
      [device]
      listen = "127.0.0.1:\(ports.device)"

      # A device that bears the key of this file may enrol, and register these apps.
      [[enrolment]]
      key-file = "enrolment.key"
      bundle-ids = \(apps)
      environments = ["development", "production"]
      # On a laptop all devices come from one address.
      per-address-per-minute = 0

      # gatewayctl uses the socket; health checks and Prometheus use the port.
      [admin]
      socket = "admin.sock"
      listen = "127.0.0.1:\(ports.admin)"

      # For localhost, 127.0.0.1, ::1 and Apple's push hosts. The key of its CA is gone, so the CA can vouch for nothing
      # else; let your backend trust ca.pem.
      [tls]
      certificate = "server.pem"
      key = "server.key"
      ca = "ca.pem"

      [store]
      database = "gateway.sqlite"

      # How often a widget may refresh; these are the defaults. A limit of 86404 with a burst of 4 is one a second.
      [budget]
      refreshes-per-day = 50
      burst = 4

      """
  }
}
