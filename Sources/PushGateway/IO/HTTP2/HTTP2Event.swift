/// What happened on a connection, in the order in which it happened.
///
/// A stream object in an event is borrowed: it is the owner's until ``HTTP2Connection/nextEvent()`` is called after its
/// ``streamClosed(_:code:)``, and serves another request from then on. Whoever waits keeps the stream's number.
package enum HTTP2Event {
  /// The body is longer than its limit. Said once a stream; what follows of the body is thrown away.
  case bodyExceededLimit(HTTP2Stream)
  /// Server: the request is whole (END_STREAM).
  case requestEnded(HTTP2Stream)
  /// Client: the final response's header fields have arrived.
  case responseHeaded(HTTP2Stream)
  /// Client: ``HTTP2Stream/body`` has grown. Said once until ``HTTP2Stream/takeBody()``.
  case dataReceived(HTTP2Stream)
  /// Client: the response is whole.
  case responseEnded(HTTP2Stream)
  /// The stream is over, for whatever reason. The last event of a stream.
  case streamClosed(HTTP2Stream, code: HTTP2ErrorCode)
  /// All that was written to a streaming message has been taken by `drainOutput`. Said once for each time that the
  /// output ran empty.
  case outputDrained(HTTP2Stream)
  /// GOAWAY came; ``HTTP2Connection/peerDebugData`` has what it said.
  case peerGoingAway(lastStreamID: Int32, code: HTTP2ErrorCode)
  case settingsReceived
  /// The peer answered a ``HTTP2Connection/ping()``.
  case pingAcknowledged
}
