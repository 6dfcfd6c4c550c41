import GatewayIO

/// What both roles of a connection hear.
protocol ConnectionListener: AnyObject {
  /// Silence is this connection's purpose: it never idles.
  var isHoldingStream: Bool { get }
  /// The handshake is over; nothing has been read or written yet.
  func secured(on connection: HTTPConnection)
  /// Something happened on the HTTP/2 connection. Answers go through it; the output is flushed at the end of the turn.
  func happened(_ event: HTTP2Event, on connection: HTTPConnection)
  /// All output has been taken by the socket.
  func outputFlushed(on connection: HTTPConnection)
  /// The gateway drains: say goodbye, let what is under way end.
  func drainBegan(on connection: HTTPConnection)
  /// The idle time that the role asked for has passed without input.
  func idled(on connection: HTTPConnection)
  /// The period that the role asked for has passed once more.
  func ticked(on connection: HTTPConnection)
  /// An answer may leave: what it speaks of is durable.
  func confirm(_ answer: PendingOutput.Answer, on connection: HTTPConnection)
  /// An answer that can be asked for again will not leave for long, as the store cannot commit.
  func deny(_ answer: PendingOutput.Answer, on connection: HTTPConnection)
  /// The connection is gone.
  func closed(_ connection: HTTPConnection)
}
