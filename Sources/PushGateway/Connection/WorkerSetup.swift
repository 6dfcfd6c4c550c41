import GatewayCore
import GatewayIO
import TokenStore

/// What a loop is started with; values and shared handles only, since it crosses to the loop's thread.
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
  var inbox: Mailbox<LoopMessage>
  var log: any GatewayLog
  var backups: BackupDesk
}
