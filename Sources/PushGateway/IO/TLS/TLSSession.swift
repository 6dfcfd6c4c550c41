import COpenSSL
import Glibc

/// One TLS connection over a descriptor that somebody else owns and keeps open for longer.
///
/// A peer can make every step fail and no step trap. After a failure OpenSSL allows no further call on the session, so
/// every later step fails at once.
package final class TLSSession {
  private let raw: OpaquePointer
  private var isBroken = false
  private var hasHandshaken = false

  /// The server's side of an accepted connection.
  package convenience init(accepting descriptor: Int32, context: TLSContext) throws(TLSError) {
    guard context.isServer else { preconditionFailure("a server's session needs a server's context") }
    try self.init(descriptor, context)
    SSL_set_accept_state(raw)
  }

  /// The client's side. `host` is what the certificate must be made for: a name, which is also sent as SNI, or a numeric
  /// address, which is not (RFC 6066 §3).
  package convenience init(connecting descriptor: Int32, host: String, context: TLSContext) throws(TLSError) {
    guard !context.isServer else { preconditionFailure("a client's session needs a client's context") }
    try self.init(descriptor, context)
    SSL_set_connect_state(raw)
    if X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(raw), host) == 1 { return }
    ERR_clear_error()
    guard gateway_ssl_set_server_name(raw, host) == 1, SSL_set1_host(raw, host) == 1 else {
      throw .drain("\(host) cannot be a server's name")
    }
  }

  private init(_ descriptor: Int32, _ context: TLSContext) throws(TLSError) {
    ERR_clear_error()
    guard let raw = SSL_new(context.raw) else { throw .drain("OpenSSL gave no session") }
    self.raw = raw
    guard SSL_set_fd(raw, descriptor) == 1 else { throw .drain("OpenSSL did not take the descriptor") }
  }

  deinit { SSL_free(raw) }

  /// Goes on with the handshake; `.done(0)` when it is complete, and again whenever it is asked later.
  package func handshake() -> TransportStep {
    if hasHandshaken { return .done(0) }
    guard !isBroken else { return .failed(.alreadyFailed) }
    ERR_clear_error()
    let result = SSL_do_handshake(raw)
    if result == 1 {
      hasHandshaken = true
      return .done(0)
    }
    return step(after: result, "the TLS handshake failed")
  }

  package func read(into buffer: UnsafeMutableRawBufferPointer) -> TransportStep {
    guard !isBroken else { return .failed(.alreadyFailed) }
    guard let base = buffer.baseAddress, !buffer.isEmpty else { return .done(0) }
    ERR_clear_error()
    let result = SSL_read(raw, base, Int32(clamping: buffer.count))
    return result > 0 ? .done(Int(result)) : step(after: result, "the TLS connection failed while reading")
  }

  package func write(_ bytes: UnsafeRawBufferPointer) -> TransportStep {
    guard !isBroken else { return .failed(.alreadyFailed) }
    guard let base = bytes.baseAddress, !bytes.isEmpty else { return .done(0) }
    ERR_clear_error()
    let result = SSL_write(raw, base, Int32(clamping: bytes.count))
    return result > 0 ? .done(Int(result)) : step(after: result, "the TLS connection failed while writing")
  }

  /// Sends close_notify; does not wait for the peer's.
  package func shutdown() -> TransportStep {
    // Before the end of a handshake there is nothing to close (SSL_shutdown(3)).
    guard !isBroken, hasHandshaken else { return .done(0) }
    ERR_clear_error()
    let result = SSL_shutdown(raw)
    return result >= 0 ? .done(0) : step(after: result, "the TLS connection failed while closing")
  }

  /// Bytes that OpenSSL has read from the descriptor and not given out.
  package var hasPending: Bool { !isBroken && SSL_has_pending(raw) == 1 }

  /// The protocol that ALPN chose, nil if the client offered none. Only after the handshake.
  package var negotiatedProtocol: String? {
    var start: UnsafePointer<UInt8>?
    var count: UInt32 = 0
    SSL_get0_alpn_selected(raw, &start, &count)
    return count == 0 ? nil : String(decoding: UnsafeBufferPointer(start: start, count: Int(count)), as: UTF8.self)
  }

  /// Only after the handshake.
  package var version: TLSVersion? { TLSVersion(rawValue: String(cString: SSL_get_version(raw))) }

  /// The cipher suite's name, for logs. Only after the handshake.
  package var cipherSuite: String {
    SSL_CIPHER_get_name(SSL_get_current_cipher(raw)).map { String(cString: $0) } ?? "none"
  }

  /// What the client showed, judged now by the authorities of `context`, which a reload may have made since; nil if it
  /// showed nothing. Only after the handshake.
  package func peerCertificate(judgedBy context: TLSContext) -> PeerCertificate? {
    guard let certificate = SSL_get0_peer_certificate(raw) else { return nil }
    ERR_clear_error()
    defer { ERR_clear_error() }
    return CertificateJudge.judge(certificate, chain: SSL_get_peer_cert_chain(raw), by: context)
  }

  private func step(after result: Int32, _ problem: String) -> TransportStep {
    let systemCode = errno
    switch SSL_get_error(raw, result) {
    case SSL_ERROR_WANT_READ: return .wouldBlockRead
    case SSL_ERROR_WANT_WRITE: return .wouldBlockWrite
    case SSL_ERROR_ZERO_RETURN: return .peerClosed
    case SSL_ERROR_SYSCALL:
      isBroken = true
      ERR_clear_error()
      switch systemCode {
      case 0, ECONNRESET, EPIPE: return .peerClosed
      default: return .failed(.system(SystemCallError(call: problem, code: systemCode)))
      }
    default:
      isBroken = true
      return .failed(.tls(.drain(problem + verificationText)))
    }
  }

  /// "certificate verify failed" alone helps nobody: which rule it was stands elsewhere.
  private var verificationText: String {
    let result = SSL_get_verify_result(raw)
    guard result != Int(X509_V_OK), let text = X509_verify_cert_error_string(result) else { return "" }
    return ": the peer's certificate is not accepted: \(String(cString: text))"
  }
}
