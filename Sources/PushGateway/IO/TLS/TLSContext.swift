import COpenSSL

/// What all sessions of one side share: certificate, key and rules, or the trust of a client.
///
/// Immutable after `init`. A reload makes a new one and hands it to the loops: new connections use it, those that are
/// there keep theirs (each `SSL` holds its own reference). Making one reads and checks keys, so it does not belong on a
/// loop.
///
/// `@unchecked Sendable`: OpenSSL lets threads share an `SSL_CTX` once it is set up, its reference count is atomic
/// (openssl-threads(7), SSL_CTX_new(3)).
package final class TLSContext: @unchecked Sendable {
  package enum Trust: Sendable {
    /// The certificates that the machine trusts.
    case system
    /// Only these: PEM, one or more.
    case certificates([UInt8])
  }

  let raw: OpaquePointer
  let isServer: Bool

  /// A server's side. `certificateChain` is PEM, the server's own certificate first; `privateKey` is PEM without
  /// passphrase. With `clientAuthorities` (PEM, one or more) clients are asked for a certificate; what it is worth says
  /// ``TLSSession/peerCertificate(judgedBy:)``, and no handshake fails for it.
  ///
  /// ALPN picks `h2`; a client that offers other protocols only gets the alert `no_application_protocol` (RFC 7301 §3.2);
  /// one that offers none is served, because some APNs clients do so.
  package static func server(
    certificateChain: [UInt8], privateKey: [UInt8], clientAuthorities: [UInt8]? = nil
  ) throws(TLSError) -> TLSContext {
    let context = try TLSContext(server: true)
    try context.use(certificateChain, privateKey)
    // Tickets resume a session without any memory of ours; a cache would keep some for each client that ever came.
    gateway_ctx_set_session_cache_off(context.raw)
    _ = SSL_CTX_set_num_tickets(context.raw, 1)
    SSL_CTX_set_alpn_select_cb(context.raw, selectProtocol, nil)
    if let clientAuthorities {
      try context.trust(clientAuthorities, named: "client CA file")
      gateway_ctx_ask_for_certificates(context.raw)
    }
    return context
  }

  private func use(_ certificateChain: [UInt8], _ privateKey: [UInt8]) throws(TLSError) {
    let chain = try PEM.certificates(certificateChain, named: "certificate file")
    var unowned = chain[...]
    defer { unowned.forEach { X509_free($0) } }
    let key = try PEM.privateKey(privateKey, named: "key file")
    defer { EVP_PKEY_free(key) }

    ERR_clear_error()
    guard SSL_CTX_use_certificate(raw, chain[0]) == 1 else {
      throw .drain("the certificate cannot be used")
    }
    guard X509_check_private_key(chain[0], key) == 1 else {
      ERR_clear_error()
      throw TLSError(
        "the key does not match the certificate: the first certificate of the file must be the one made for this key")
    }
    guard SSL_CTX_use_PrivateKey(raw, key) == 1 else { throw .drain("the certificate's key cannot be used") }
    for certificate in chain.dropFirst() {
      guard gateway_ctx_add_chain_certificate(raw, certificate) == 1 else {
        throw .drain("a certificate of the chain cannot be used")
      }
      unowned.removeAll { $0 == certificate }
    }
  }

  private func trust(_ pem: [UInt8], named name: String) throws(TLSError) {
    let certificates = try PEM.certificates(pem, named: name)
    defer { certificates.forEach { X509_free($0) } }
    let store = SSL_CTX_get_cert_store(raw)
    for certificate in certificates {
      guard X509_STORE_add_cert(store, certificate) == 1 else {
        throw .drain("a certificate of the \(name) cannot be used")
      }
    }
  }

  /// A client's side, for `gatewayctl`, the simulator and tests. Offers `h2` unless told otherwise; an empty list sends no
  /// ALPN at all. `identity` is shown to servers that ask for a certificate.
  package static func client(
    trust: Trust, identity: CertificateAndKey? = nil, protocols: [String] = ["h2"], maximumVersion: TLSVersion = .tls13
  ) throws(TLSError) -> TLSContext {
    let context = try TLSContext(server: false)
    switch trust {
    case .system:
      guard SSL_CTX_set_default_verify_paths(context.raw) == 1 else {
        throw .drain("the machine's trusted certificates cannot be read")
      }
    case .certificates(let bytes):
      try context.trust(bytes, named: "CA file")
    }
    if let identity { try context.use(identity.certificateChain, identity.privateKey) }
    SSL_CTX_set_verify(context.raw, SSL_VERIFY_PEER, nil)
    _ = gateway_ctx_set_max_version(context.raw, maximumVersion.code)
    let offer = protocols.flatMap { [UInt8(clamping: $0.utf8.count)] + Array($0.utf8) }
    // This one call answers 0 when it succeeds.
    guard offer.isEmpty || SSL_CTX_set_alpn_protos(context.raw, offer, UInt32(offer.count)) == 0 else {
      throw .drain("the protocols cannot be offered")
    }
    return context
  }

  private init(server: Bool) throws(TLSError) {
    ERR_clear_error()
    guard let raw = SSL_CTX_new(server ? TLS_server_method() : TLS_client_method()) else {
      throw .drain("OpenSSL gave no context")
    }
    self.raw = raw
    isServer = server
    gateway_ctx_set_up(raw)
    // AES-128 first: the handshake's security is P-256's in any case, and a record costs less. The 1.2 list keeps to what
    // HTTP/2 allows (RFC 9113 §9.2.2).
    guard
      SSL_CTX_set_ciphersuites(
        raw, "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256") == 1,
      SSL_CTX_set_cipher_list(raw, "ECDHE+AESGCM:ECDHE+CHACHA20") == 1
    else { throw .drain("this OpenSSL lacks the cipher suites of HTTP/2") }
  }

  deinit { SSL_CTX_free(raw) }
}

/// Walks the client's offer (length-prefixed names, checked by OpenSSL before it calls) and points at its `h2`.
private func selectProtocol(
  _: OpaquePointer?, _ chosen: UnsafeMutablePointer<UnsafePointer<UInt8>?>?,
  _ chosenLength: UnsafeMutablePointer<UInt8>?, _ offer: UnsafePointer<UInt8>?, _ offerLength: UInt32,
  _: UnsafeMutableRawPointer?
) -> Int32 {
  let offered = UnsafeBufferPointer(start: offer, count: Int(offerLength))
  var index = 0
  while index < offered.count {
    let length = Int(offered[index])
    guard length > 0, index + 1 + length <= offered.count else { break }
    if length == 2, offered[index + 1] == UInt8(ascii: "h"), offered[index + 2] == UInt8(ascii: "2") {
      chosen?.pointee = offer.map { $0 + index + 1 }
      chosenLength?.pointee = 2
      return SSL_TLSEXT_ERR_OK
    }
    index += 1 + length
  }
  return SSL_TLSEXT_ERR_ALERT_FATAL
}
