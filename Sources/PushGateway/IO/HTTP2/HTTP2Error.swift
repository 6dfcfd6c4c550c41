/// Why a connection cannot go on. After it, drain the output once (a GOAWAY may be waiting) and close.
package enum HTTP2Error: Error, Hashable, Sendable, CustomStringConvertible {
  /// The first bytes are not HTTP/2's connection preface: another protocol, or noise. Nothing is said in return
  /// (RFC 9113 §3.4).
  case prefaceInvalid
  /// The peer makes work or memory grow without asking for anything. GOAWAY ENHANCE_YOUR_CALM waits in the output.
  case flooded(HTTP2Flood)
  /// The peer broke a rule of RFC 9113 that nghttp2 lets pass. GOAWAY PROTOCOL_ERROR waits in the output.
  case violated
  /// nghttp2 gave up, with its own number. GOAWAY waits in the output.
  case nghttp2(code: Int32)

  /// What the connection's last frame says.
  package var code: HTTP2ErrorCode {
    switch self {
    case .prefaceInvalid, .violated: .protocolError
    case .flooded: .enhanceYourCalm
    case .nghttp2: .internalError
    }
  }

  package var description: String {
    switch self {
    case .prefaceInvalid: "the peer does not speak HTTP/2"
    case .violated: "the peer breaks the rules of HTTP/2"
    case .flooded(let flood): "the peer floods the connection: \(flood.rawValue)"
    case .nghttp2(let code): "the HTTP/2 library failed: \(code)"
    }
  }
}
