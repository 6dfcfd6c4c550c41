/// Names one request of one connection: where its answer goes, if that is still there.
struct RequestPlace: Hashable, Sendable {
  var connection: ConnectionID
  /// HTTP/2 uses no number twice on a connection.
  var stream: Int32
}
