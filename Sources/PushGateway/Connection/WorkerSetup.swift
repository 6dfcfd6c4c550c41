import GatewayCore
import GatewayIO
import TokenStore

/// What ledger and loops are started with; values and shared handles only, since it crosses to their threads.
struct WorkerSetup: Sendable {
  struct Door: Sendable {
    enum Kind: Sendable {
      case provider(GatewayConfiguration.ProviderListener)
      case device(GatewayConfiguration.DeviceListener)
    }

    var kind: Kind
    var socket: ListeningSocket
  }

  var configuration: GatewayConfiguration
  var tls: ServerTLS
  var doors: [Door]
  var bootID: String
  var log: any GatewayLog
  var register: ConnectionRegister
  var refusedPushes: RefusedPushLog
  let gate = StoreGate()
  let digest = LogDigest(
    key: SecureRandom.bytes(16).withUnsafeBytes {
      ($0.loadUnaligned(as: UInt64.self), $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    })
}
