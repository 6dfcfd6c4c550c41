import GatewayCore
import GatewayIO

/// The TLS side of all listeners: one context for most, and one more for each `client-ca`. Immutable and shared; a reload
/// makes a new one, off the loop, since keys are parsed.
struct ServerTLS: Sendable {
  private var plain: TLSContext?
  /// Few, and found by their bytes: mostly the same array, which costs a look at its address.
  private var asking: [(clientCA: [UInt8], context: TLSContext)] = []

  /// - Throws: what is wrong with which file's content, without any of it.
  init(_ configuration: GatewayConfiguration) throws(GatewayError) {
    guard let identity = configuration.tls else { return }
    plain = try Self.context(identity, clientCA: nil)
    for clientCA in Set(configuration.providers.filter { !$0.cleartext }.compactMap(\.clientCA)) {
      asking.append((clientCA, try Self.context(identity, clientCA: clientCA)))
    }
  }

  /// nil when the configuration has no certificate, or another `client-ca`.
  func context(clientCA: [UInt8]?) -> TLSContext? {
    guard let clientCA else { return plain }
    return asking.first { $0.clientCA == clientCA }?.context
  }

  /// Keeps what some listener needs that the new configuration says nothing of.
  func covering(_ listeners: [GatewayConfiguration.ProviderListener], from old: ServerTLS) -> ServerTLS {
    var whole = self
    for clientCA in listeners.compactMap(\.clientCA) where whole.context(clientCA: clientCA) == nil {
      if let context = old.context(clientCA: clientCA) { whole.asking.append((clientCA, context)) }
    }
    return whole
  }

  private static func context(
    _ identity: GatewayConfiguration.TLSIdentity, clientCA: [UInt8]?
  ) throws(GatewayError) -> TLSContext {
    do throws(TLSError) {
      return try TLSContext.server(
        certificateChain: identity.certificateChain, privateKey: identity.privateKey.revealed,
        clientAuthorities: clientCA)
    } catch {
      throw GatewayError(clientCA == nil ? "tls: \(error)" : "tls, with a client-ca: \(error)")
    }
  }
}
