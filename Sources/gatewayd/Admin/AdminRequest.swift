/// One admin request, whole, free of the library that read it.
struct AdminRequest: Sendable {
  /// Where it came from, which decides what it may ask.
  enum Origin: Sendable, Equatable {
    /// The Unix socket; its file mode has let the peer in. nil when the kernel does not tell the peer's uid.
    case socket(peerUID: UInt32?)
    case tcp
  }

  var origin: Origin
  var method: String
  /// Percent-decoded, without the query.
  var path: String
  var query: [(name: String, value: String)] = []
  /// Every `host` field.
  var hosts: [String] = []
  /// Every `authorization` field.
  var authorizations: [String] = []
  /// The first `content-length` field.
  var contentLength: String?
  var body: [UInt8] = []

  /// For the audit; nil over TCP.
  var peerUID: UInt32? {
    if case .socket(let uid) = origin { uid } else { nil }
  }
}
