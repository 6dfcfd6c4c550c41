import GatewayIO

/// A listener of the gateway, as a client reaches it.
struct ServerTarget {
  let address: SocketAddress
  let security: ClientConnection.Security
  /// For messages, such as `127.0.0.1:2197`.
  var name: String { address.description }

  func connection(on loop: EventLoop, pool: HTTP2StreamPool, pace: ClientReadingPace = .atOnce) throws
    -> ClientConnection
  {
    try ClientConnection(loop: loop, address: address, security: security, pool: pool, pace: pace)
  }
}
