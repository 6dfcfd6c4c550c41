/// What one call into a ``Transport`` achieved.
package enum TransportStep {
  /// Complete; for reads and writes the number of bytes, at least 1 unless the buffer was empty.
  case done(Int)
  /// Nothing to read yet: call again when the descriptor is readable.
  case wouldBlockRead
  /// No room to write: ask the loop for `.writable` and repeat the same call then.
  case wouldBlockWrite
  /// The peer has ended the connection, orderly or not. Close.
  case peerClosed
  /// Broken; only ``Transport/close()`` is left.
  case failed(TransportError)
}

/// Why a transport broke.
package enum TransportError: Error, Equatable, CustomStringConvertible {
  /// What the peer sent is no TLS, breaks its rules, or does not prove who it is.
  case tls(TLSError)
  /// The operating system ended the connection, e.g. after the user timeout.
  case system(SystemCallError)
  /// A step after the failure: the first one told the reason.
  case alreadyFailed

  package var description: String {
    switch self {
    case .tls(let error): error.description
    case .system(let error): error.description
    case .alreadyFailed: "the connection had failed before"
    }
  }
}
