/// Why a client's connection or one of its requests failed.
package enum ClientError: Error, Equatable, Sendable, CustomStringConvertible {
  case unreachable(SystemCallError)
  case handshakeTimedOut(milliseconds: Int64)
  case transport(TransportError)
  case protocolFailed(HTTP2Error)
  /// The server closed; `goAway` is what its GOAWAY said, if one came.
  case closedByPeer(goAway: String?)
  /// This request alone was reset.
  case reset(HTTP2ErrorCode)
  case responseTooLarge
  /// We closed, or asked after the end.
  case closed

  package var description: String {
    switch self {
    case .unreachable(let error): error.reason
    case .handshakeTimedOut(let milliseconds): "no answer within \(milliseconds / 1000) s"
    case .transport(let error): error.description
    case .protocolFailed(let error): error.description
    case .closedByPeer(let reason): "the server closed the connection" + (reason.map { ": \($0)" } ?? "")
    case .reset(let code): "the server reset the request (\(code))"
    case .responseTooLarge: "the answer is too large"
    case .closed: "the connection is closed"
    }
  }
}
