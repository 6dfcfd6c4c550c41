import CSystemd
import GatewayCore
import GatewayIO

/// Listening sockets that systemd opened for the service (sd_listen_fds(3)), matched to listeners by address. So a
/// restart drops no connection attempt, and ports below 1024 need no capability.
struct InheritedSockets {
  private var waiting: [ListeningSocket]

  /// What the process was started with. Call it once, before there is another thread: it empties the environment, so
  /// that no child takes the sockets for its own.
  static func atStart() throws(ListenError) -> InheritedSockets {
    let count = sd_listen_fds(1)
    return try InheritedSockets(descriptors: (0..<max(0, count)).map { linuxFirstInherited + $0 })
  }

  /// Takes over the descriptors. One that is no listening stream socket is an error that names it.
  init(descriptors: [Int32]) throws(ListenError) {
    waiting = []
    for descriptor in descriptors {
      waiting.append(try ListeningSocket(adopting: FileDescriptor(owning: descriptor)))
    }
  }

  /// The socket that listens where the configuration says, if there is one. Each is given out once.
  mutating func take(_ address: ListenAddress) -> ListeningSocket? {
    guard let index = waiting.firstIndex(where: { $0.address.description == address.description }) else { return nil }
    return waiting.remove(at: index)
  }

  /// What no listener asked for: worth a warning, since connections to it would wait for ever.
  var unclaimed: [String] { waiting.map(\.address.description) }
}

/// SD_LISTEN_FDS_START.
private let linuxFirstInherited: Int32 = 3
