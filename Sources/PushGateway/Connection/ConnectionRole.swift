import GatewayIO

/// What a connection is for. The connection moves bytes and frames; its role gives them meaning.
protocol ConnectionRole: AnyObject {
  /// Something happened on the HTTP/2 connection. Answer through it; the output is flushed at the end of the turn.
  func happened(_ event: HTTP2Event, on connection: HTTPConnection)
  /// All output has been taken by the socket.
  func outputFlushed(on connection: HTTPConnection)
  /// The gateway drains: say goodbye, let what is under way end.
  func drainBegan(on connection: HTTPConnection)
  /// The idle time that the role asked for has passed without input and without open streams.
  func idled(on connection: HTTPConnection)
  /// The period that the role asked for has passed once more.
  func ticked(on connection: HTTPConnection)
  /// The connection is gone.
  func closed(_ connection: HTTPConnection)
}
