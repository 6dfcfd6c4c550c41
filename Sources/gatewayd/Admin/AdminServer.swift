import GatewayCore
import GatewayReports

/// Serves the admin API (design §5, Admin) on a Unix socket, on TCP or on both, through libmicrohttpd's threads.
/// Made, used and ended on one thread.
final class AdminServer {
  /// Where it listens, with the ports really bound.
  let addresses: [ListenAddress]
  private var daemons: [DaemonBox] = []
  private let sockets: [AdminSocket]

  /// An array cannot hold what is not copyable.
  private final class DaemonBox {
    let daemon: AdminDaemon
    init(_ daemon: consuming AdminDaemon) { self.daemon = daemon }
  }

  /// Serves sockets that listen already, and takes them over whether it succeeds or not.
  ///
  /// - Parameters:
  ///   - token: without one, TCP serves only health, readiness and metrics.
  ///   - ownMetrics: what `/metrics` tells beside the gateway's own.
  init(
    sockets: [AdminSocket], backend: any AdminBackend, token: Secret<String>?,
    ownMetrics: @escaping @Sendable () -> [MetricFamily] = { [] }
  ) throws(AdminSocketError) {
    self.sockets = sockets
    addresses = sockets.map(\.address)
    do throws(AdminSocketError) {
      for socket in sockets where !socket.address.isLocal && token == nil {
        throw AdminSocketError(
          "[admin] listen \(socket.address) is not a loopback address: set [admin] token-file as well")
      }
      let router = AdminRouter(backend: backend, token: token, ownMetrics: ownMetrics)
      for socket in sockets {
        guard let daemon = AdminDaemon(serving: socket, router: router) else {
          throw AdminSocketError("[admin] cannot serve \(socket.address): libmicrohttpd did not start")
        }
        daemons.append(DaemonBox(daemon))
      }
    } catch {
      let served = daemons.count
      daemons = []
      sockets.prefix(served).forEach { $0.file?.removeIfOurs() }
      sockets.dropFirst(served).forEach { $0.close() }
      throw error
    }
  }

  /// Opens what the configuration names, and serves it.
  convenience init(
    _ settings: GatewayConfiguration.Admin, backend: any AdminBackend
  ) throws(AdminSocketError) {
    try self.init(sockets: try Self.listen(settings), backend: backend, token: settings.token)
  }

  /// Listens as the configuration says. Clients wait until a server is made of the sockets.
  static func listen(_ settings: GatewayConfiguration.Admin) throws(AdminSocketError) -> [AdminSocket] {
    var sockets: [AdminSocket] = []
    do throws(AdminSocketError) {
      if let path = settings.socket { sockets.append(try .listen(on: .unix(path: path))) }
      if let address = settings.listen { sockets.append(try .listen(on: address)) }
    } catch {
      sockets.forEach { $0.close() }
      throw error
    }
    return sockets
  }

  /// Waits for running requests; the gateway must still answer its backend calls, or refuse them.
  func stop() {
    guard !daemons.isEmpty else { return }
    daemons = []
    sockets.forEach { $0.file?.removeIfOurs() }
  }

  deinit { assert(daemons.isEmpty, "stop() the admin server before it goes") }
}
