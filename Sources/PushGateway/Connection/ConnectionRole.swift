import GatewayIO

/// What a connection is for. The connection moves bytes and frames; its role gives them meaning.
enum ConnectionRole {
  case provider(ProviderConnection)
  case device(DeviceConnection)

  private var listener: any ConnectionListener {
    switch self {
    case .provider(let provider): provider
    case .device(let device): device
    }
  }

  /// Silence is this connection's purpose: it never idles.
  var isHoldingStream: Bool { listener.isHoldingStream }
  /// Something happened on the HTTP/2 connection. Answers go through it; the output is flushed at the end of the turn.
  func happened(_ event: HTTP2Event, on connection: HTTPConnection) { listener.happened(event, on: connection) }
  /// All output has been taken by the socket.
  func outputFlushed(on connection: HTTPConnection) { listener.outputFlushed(on: connection) }
  /// The gateway drains: say goodbye, let what is under way end.
  func drainBegan(on connection: HTTPConnection) { listener.drainBegan(on: connection) }
  /// The idle time that the role asked for has passed without input.
  func idled(on connection: HTTPConnection) { listener.idled(on: connection) }
  /// The period that the role asked for has passed once more.
  func ticked(on connection: HTTPConnection) { listener.ticked(on: connection) }
  /// The connection is gone.
  func closed(_ connection: HTTPConnection) { listener.closed(connection) }
}
