import COpenSSL

/// Reads PEM from memory. Errors say what is wrong with which thing, and never what is in it.
enum PEM {
  /// A memory BIO over bytes that it only reads, for the length of the call.
  static func withReader<Result, Failure: Error>(
    _ bytes: [UInt8], _ body: (OpaquePointer) throws(Failure) -> Result
  ) throws(Failure) -> Result? {
    // The array is borrowed for the whole call, so the BIO may point into it.
    let outcome: Swift.Result<Result, Failure>? = bytes.withUnsafeBytes { buffer in
      guard let base = buffer.baseAddress, buffer.count <= Int(Int32.max),
        let bio = BIO_new_mem_buf(base, Int32(buffer.count))
      else { return nil }
      defer { BIO_free(bio) }
      ERR_clear_error()
      do throws(Failure) { return .success(try body(bio)) } catch { return .failure(error) }
    }
    return try outcome?.get()
  }

  /// All certificates of a file in their order; at least one. The caller frees them.
  static func certificates(_ bytes: [UInt8], named name: String) throws(TLSError) -> [OpaquePointer] {
    let found = try withReader(bytes) { (bio) throws(TLSError) -> [OpaquePointer] in
      var found: [OpaquePointer] = []
      while let certificate = PEM_read_bio_X509(bio, nil, refusePassphrase, nil) { found.append(certificate) }
      guard gateway_error_is_end_of_pem(ERR_peek_last_error()) == 1 else {
        found.forEach { X509_free($0) }
        throw .drain("certificate number \(found.count + 1) of the \(name) is damaged")
      }
      ERR_clear_error()
      return found
    }
    guard let found, !found.isEmpty else {
      throw TLSError(
        "the \(name) has no certificate in it: expected PEM, that is a line -----BEGIN CERTIFICATE----- and what follows"
      )
    }
    return found
  }

  /// A private key without passphrase: PKCS#8, or the older form of its algorithm. The caller frees it.
  static func privateKey(_ bytes: [UInt8], named name: String) throws(TLSError) -> OpaquePointer {
    var encrypted = false
    let key = withReader(bytes) { bio in
      withUnsafeMutablePointer(to: &encrypted) { PEM_read_bio_PrivateKey(bio, nil, refusePassphrase, $0) }
    }
    if let key = key ?? nil { return key }
    defer { ERR_clear_error() }
    if encrypted {
      throw TLSError("the \(name) is encrypted: remove the passphrase with `openssl pkey -in KEY -out PLAIN-KEY`")
    }
    // OpenSSL answers "unsupported" for a text without any PEM and for one it cannot decode alike.
    if !String(decoding: bytes, as: UTF8.self).contains("PRIVATE KEY-----") {
      throw TLSError(
        "the \(name) has no private key in it: expected PEM, that is a line -----BEGIN PRIVATE KEY----- and what follows"
      )
    }
    throw .drain("the \(name) is damaged")
  }

  /// A public key in the SubjectPublicKeyInfo form. The caller frees it; nil if there is none.
  static func publicKey(_ bytes: [UInt8]) -> OpaquePointer? {
    defer { ERR_clear_error() }
    return withReader(bytes) { PEM_read_bio_PUBKEY($0, nil, refusePassphrase, nil) } ?? nil
  }

  /// What `write` puts into a memory BIO; nil when it fails.
  static func text(_ write: (OpaquePointer) -> Int32) -> [UInt8]? {
    guard let bio = BIO_new(BIO_s_mem()) else { return nil }
    defer { BIO_free(bio) }
    guard write(bio) == 1 else { return nil }
    var start: UnsafeMutablePointer<UInt8>?
    let count = BIO_ctrl(bio, BIO_CTRL_INFO, 0, &start)
    return Array(UnsafeBufferPointer(start: start, count: count))
  }
}

/// OpenSSL would ask the terminal for a passphrase; a service has none. The context says that one was needed.
private func refusePassphrase(
  _: UnsafeMutablePointer<CChar>?, _: Int32, _: Int32, _ context: UnsafeMutableRawPointer?
) -> Int32 {
  context?.assumingMemoryBound(to: Bool.self).pointee = true
  return -1
}
