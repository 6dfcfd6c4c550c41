import Glibc

/// A connection's bytes, in the clear or through TLS, behind the same steps. Owns the descriptor.
///
/// The caller's order: ``handshake()`` until it is done, then ``read(into:)`` and ``write(_:)`` as the loop says, and at
/// the end ``shutdown()`` (polite) and ``close()`` (always), after the descriptor was removed from the loop.
///
/// Reading: call again until `.wouldBlockRead`. Who stops earlier for fairness must look at ``hasPending``: bytes inside
/// OpenSSL do not make the descriptor readable, so the rest needs a timer with `after: 0`. TLS may have to write in order
/// to read and the other way round: wait for what the step names, not for what was tried.
package final class Transport {
  private enum Engine {
    case plain
    case tls(TLSSession)
  }

  private let engine: Engine
  private var descriptor: FileDescriptor?
  /// The number to register in the loop; -1 after ``close()``.
  package private(set) var raw: Int32

  /// In the clear: loopback and Unix sockets only.
  package init(plain descriptor: consuming FileDescriptor) {
    raw = descriptor.raw
    engine = .plain
    self.descriptor = consume descriptor
  }

  /// The server's side. The descriptor is closed if this throws.
  package init(accepting descriptor: consuming FileDescriptor, context: TLSContext) throws(TLSError) {
    raw = descriptor.raw
    engine = .tls(try TLSSession(accepting: descriptor.raw, context: context))
    self.descriptor = consume descriptor
  }

  /// The client's side; the descriptor may still be connecting. `host`: see ``TLSSession``.
  package init(
    connecting descriptor: consuming FileDescriptor, host: String, context: TLSContext
  ) throws(TLSError) {
    raw = descriptor.raw
    engine = .tls(try TLSSession(connecting: descriptor.raw, host: host, context: context))
    self.descriptor = consume descriptor
  }

  /// The TLS session, nil in the clear: for what was negotiated.
  package var session: TLSSession? {
    if case .tls(let session) = engine { session } else { nil }
  }

  package var isOpen: Bool { raw >= 0 }

  /// `.done(0)` when bytes may flow; in the clear that is at once.
  package func handshake() -> TransportStep {
    guard isOpen else { return .failed(.alreadyFailed) }
    switch engine {
    case .plain: return .done(0)
    case .tls(let session): return session.handshake()
    }
  }

  /// Reads what there is, up to the buffer's size.
  package func read(into buffer: UnsafeMutableRawBufferPointer) -> TransportStep {
    guard isOpen else { return .failed(.alreadyFailed) }
    switch engine {
    case .tls(let session): return session.read(into: buffer)
    case .plain: return receive(into: buffer)
    }
  }

  /// Takes from the socket what nobody will read any more, past the TLS engine: a peer that goes on talking costs no
  /// decryption. Nothing can be read afterwards.
  package func discard(into buffer: UnsafeMutableRawBufferPointer) -> TransportStep {
    guard isOpen else { return .failed(.alreadyFailed) }
    return receive(into: buffer)
  }

  private func receive(into buffer: UnsafeMutableRawBufferPointer) -> TransportStep {
    guard !buffer.isEmpty else { return .done(0) }
    while true {
      let count = recv(raw, buffer.baseAddress, buffer.count, 0)
      let code = errno
      if count > 0 { return .done(count) }
      if count == 0 { return .peerClosed }
      if code != EINTR { return failure(of: "recv", code, wouldBlock: .wouldBlockRead) }
    }
  }

  /// Writes what fits; `.done` may say less than all. After `.wouldBlockWrite` the next write must begin with the same
  /// bytes (they may lie elsewhere), and must not be shorter: a TLS record may already be on its way.
  package func write(_ bytes: UnsafeRawBufferPointer) -> TransportStep {
    guard isOpen else { return .failed(.alreadyFailed) }
    switch engine {
    case .tls(let session): return session.write(bytes)
    case .plain:
      guard !bytes.isEmpty else { return .done(0) }
      while true {
        let count = send(raw, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
        let code = errno
        if count >= 0 { return .done(count) }
        if code != EINTR { return failure(of: "send", code, wouldBlock: .wouldBlockWrite) }
      }
    }
  }

  /// Bytes that are inside the TLS engine already. May be true for half a record, which a read then answers with
  /// `.wouldBlockRead`: read until that, and do not loop on this.
  package var hasPending: Bool {
    guard isOpen, case .tls(let session) = engine else { return false }
    return session.hasPending
  }

  /// Says that nothing more will be sent: close_notify, then the end of the TCP stream. The peer's last bytes may still be
  /// read; closing while they are unread would send a reset, which can overtake our last answer on its way to the peer.
  package func shutdown() -> TransportStep {
    guard isOpen else { return .failed(.alreadyFailed) }
    if case .tls(let session) = engine {
      let step = session.shutdown()
      guard case .done = step else { return step }
    }
    _ = Glibc.shutdown(raw, Int32(SHUT_WR))
    return .done(0)
  }

  /// Closes the descriptor at once. Remove it from the loop first. A second call does nothing.
  package func close() {
    raw = -1
    descriptor = nil
  }

  /// See ``FileDescriptor/takeSocketError()``.
  package func takeSocketError() -> SystemCallError? { descriptor?.takeSocketError() }

  private func failure(of call: String, _ code: Int32, wouldBlock: TransportStep) -> TransportStep {
    switch code {
    case EAGAIN: wouldBlock
    case ECONNRESET, EPIPE: .peerClosed
    default: .failed(.system(SystemCallError(call: call, code: code)))
    }
  }
}
