public import GatewayCore
import GatewayIO
import GatewayReports
import Glibc
public import TokenStore

/// A whole gateway for the length of a test: free ports on the loopback interface, a store in a temporary folder, and a
/// certificate and keys of its own. `GATEWAYD_LOOPS` in the environment lets it run several loops.
///
/// ```swift
/// let development = try DevelopmentGateway(bundleIDs: ["com.example.caffeine"])
/// defer { development.stop() }
/// // point an APNs client at localhost, development.port(of: .development), trusting development.caCertificate
/// ```
public final class DevelopmentGateway: Sendable {
  /// Ten characters, as a JWT's `iss` and `kid` name them.
  public static let team = "DEVELOPERS"
  public static let keyID = "DEVELOPKEY"

  public let gateway: Gateway
  /// PEM; for clients to trust.
  public let caCertificate: [UInt8]
  /// The `.p8` text that a backend signs with; good for both environments.
  public let providerKey: [UInt8]
  /// For devices to enrol with.
  public let enrolmentKey: String
  /// What it was started with: a test restarts on the same store with it.
  public let configuration: GatewayConfiguration
  private let folder: String

  /// - Parameters:
  ///   - bundleIDs: apps that may be pushed to.
  ///   - log: silent if nothing else is given.
  ///   - configure: changes the configuration before the start.
  /// - Throws: what kept it from starting.
  public init(
    bundleIDs: [String], log: any GatewayLog = SilentLog(),
    configure: (inout GatewayConfiguration) -> Void = { _ in }
  ) throws(GatewayError) {
    let apps = bundleIDs.compactMap { BundlePattern($0) }
    guard apps.count == bundleIDs.count else { throw GatewayError("a bundle ID is not one: \(bundleIDs)") }
    folder = try Self.makeFolder()
    do {
      let identity = try DevelopmentAuthority.issue(wallSeconds: LoopClock.read().wallMilliseconds / 1000)
      caCertificate = identity.caCertificate
      providerKey = try ES256SigningKey().pem()
      enrolmentKey = SecureRandom.bytes(16).map { String($0 % 10) }.joined()
      var configuration = GatewayConfiguration(store: .init(database: folder + "/gateway.sqlite"))
      configuration.tls = .init(
        certificateChain: identity.serverCertificate, privateKey: Secret(identity.serverKey))
      let loopback = ListenAddress.tcp(host: "127.0.0.1", port: 0)
      configuration.providers = GatewayEnvironment.allCases.map { .init(listen: loopback, environment: $0) }
      configuration.device = .init(listen: loopback)
      for environment in GatewayEnvironment.allCases {
        configuration.providerKeys.append(
          .init(team: Self.team, keyID: Self.keyID, pem: Secret(providerKey), environment: environment, topics: apps))
      }
      configuration.enrolments = [
        .init(key: Secret(enrolmentKey), bundleIDs: apps, environments: GatewayEnvironment.allCases)
      ]
      configuration.loops = getenv("GATEWAYD_LOOPS").flatMap { Int(String(cString: $0)) } ?? 1
      configure(&configuration)
      self.configuration = configuration
      gateway = try Gateway(configuration, log: log)
    } catch {
      Self.remove(folder)
      throw (error as? GatewayError) ?? GatewayError("\(error)")
    }
  }

  /// The port of the provider listener for an environment, on 127.0.0.1.
  public func port(of environment: GatewayEnvironment) -> UInt16 {
    port { $0.role == .provider && $0.environment == environment.rawValue }
  }

  /// The port of the device listener, on 127.0.0.1.
  public var devicePort: UInt16 { port { $0.role == .device } }

  /// Ends the gateway and removes its folder.
  public func stop() {
    gateway.stop()
    Self.remove(folder)
  }

  private func port(where isWanted: (ListenerReport) -> Bool) -> UInt16 {
    gateway.listeners.first(where: isWanted)?.address.split(separator: ":").last.flatMap { UInt16($0) } ?? 0
  }

  private static func makeFolder() throws(GatewayError) -> String {
    let base = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array((base + "/gatewayd-development-XXXXXX").utf8CString)
    guard mkdtemp(&template) != nil else { throw GatewayError("no temporary folder in \(base): \(errno)") }
    return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Only what a gateway makes there.
  private static func remove(_ folder: String) {
    for suffix in ["", "-wal", "-shm", "-journal", "-lock"] { unlink(folder + "/gateway.sqlite" + suffix) }
    rmdir(folder)
  }
}
