import GatewayIO

/// What both roles of a connection hear; see ``ConnectionRole`` for when.
protocol ConnectionListener: AnyObject {
  /// Silence is this connection's purpose: it never idles.
  var isHoldingStream: Bool { get }
  func happened(_ event: HTTP2Event, on connection: HTTPConnection)
  func outputFlushed(on connection: HTTPConnection)
  func drainBegan(on connection: HTTPConnection)
  func idled(on connection: HTTPConnection)
  func ticked(on connection: HTTPConnection)
  func closed(_ connection: HTTPConnection)
}
