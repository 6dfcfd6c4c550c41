/// How fast a client takes what a server sends it.
package enum ClientReadingPace: Sendable, Equatable {
  case atOnce
  /// Responses that are received in parts are read as slowly as this, by opening their HTTP/2 window so slowly; the others
  /// at once.
  case bytesPerSecond(Int)

  /// Octets that the server may send before any are read: little, or a slow reader would look like a fast one until it
  /// is full. nghttp2 opens a window again when half of it has been read, so this is also the step.
  static let window = 64
}
