import COpenSSL

/// Says who vouches for a client's certificate: its chain must end at an authority of the listener's, today, and allow it
/// to be a client (RFC 5280 §6; extended key usage, if there is one, has clientAuth).
enum CertificateJudge {
  /// Certificates between the client's and the authority's.
  private static let deepestChain: Int32 = 4

  /// - Parameter chain: what the client sent along, to be trusted no more than the certificate.
  static func judge(_ certificate: OpaquePointer, chain: OpaquePointer?, by context: TLSContext) -> PeerCertificate {
    guard let verification = X509_STORE_CTX_new() else { return .refused("there is no memory to verify it") }
    defer { X509_STORE_CTX_free(verification) }
    let isPrepared =
      X509_STORE_CTX_init(verification, SSL_CTX_get_cert_store(context.raw), certificate, chain) == 1
      && X509_STORE_CTX_set_default(verification, "ssl_client") == 1
    guard isPrepared else { return .refused("it cannot be verified") }
    let rules = X509_STORE_CTX_get0_param(verification)
    X509_VERIFY_PARAM_set_depth(rules, deepestChain)
    X509_VERIFY_PARAM_set_auth_level(rules, SSL_CTX_get_security_level(context.raw))
    // An intermediate authority in the file is trusted for itself, without the root above it.
    X509_VERIFY_PARAM_set_flags(rules, UInt(X509_V_FLAG_PARTIAL_CHAIN))
    guard X509_verify_cert(verification) == 1 else {
      let code = Int(X509_STORE_CTX_get_error(verification))
      return .refused(X509_verify_cert_error_string(code).map { String(cString: $0) } ?? "error \(code)")
    }
    do throws(ProviderCertificateReader.Fault) {
      return .verified(try ProviderCertificateReader.read(certificate))
    } catch {
      return .refused(error.rawValue)
    }
  }
}
