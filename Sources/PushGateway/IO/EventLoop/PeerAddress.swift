import CLinux

/// Who is at the other end of an accepted connection.
package struct PeerAddress: Hashable, Sendable, CustomStringConvertible {
  package let address: SocketAddress
  /// The user at the other end of a Unix socket, nil for TCP.
  package let userID: UInt32?

  package init(address: SocketAddress, userID: UInt32? = nil) {
    self.address = address
    self.userID = userID
  }

  /// The address without the port: what per-address limits count. All peers of Unix sockets share `unix`.
  package var host: String {
    switch address {
    case .tcp(let host, _): host
    case .unix: "unix"
    }
  }

  /// `192.0.2.7:51234`, or `unix:uid=1000`.
  package var description: String {
    switch address {
    case .tcp: address.description
    case .unix: userID.map { "unix:uid=\($0)" } ?? "unix"
    }
  }
}
