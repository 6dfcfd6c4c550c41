import COpenSSL

/// Owns one EVP_PKEY of the curve P-256.
struct P256Key: ~Copyable {
  let raw: OpaquePointer

  /// Takes the reference over; frees it and throws when the key is of another kind. `name` is for the error only.
  init(taking raw: OpaquePointer, named name: String) throws(TLSError) {
    guard Self.isP256(raw) else {
      EVP_PKEY_free(raw)
      ERR_clear_error()
      throw TLSError("the \(name) is not of the curve P-256 (prime256v1), which ES256 needs")
    }
    self.raw = raw
  }

  /// Makes a new one.
  init() throws(TLSError) {
    ERR_clear_error()
    guard let raw = gateway_generate_p256() else { throw .drain("OpenSSL made no key") }
    try self.init(taking: raw, named: "new key")
  }

  deinit { EVP_PKEY_free(raw) }

  /// PKCS#8 in PEM. A secret.
  borrowing func pem() throws(TLSError) -> [UInt8] {
    ERR_clear_error()
    guard let text = PEM.text({ PEM_write_bio_PKCS8PrivateKey($0, raw, nil, nil, 0, nil, nil) }) else {
      throw .drain("the key cannot be written as PEM")
    }
    return text
  }

  /// A context for many operations, which OpenSSL keeps ready between them. The caller frees it.
  borrowing func context(
    _ prepare: (OpaquePointer?) -> Int32
  ) throws(TLSError) -> OpaquePointer {
    ERR_clear_error()
    guard let context = EVP_PKEY_CTX_new(raw, nil) else { throw .drain("OpenSSL gave no key context") }
    guard prepare(context) == 1, EVP_PKEY_CTX_set_signature_md(context, SHA256Digest.Algorithm.shared.raw) == 1 else {
      EVP_PKEY_CTX_free(context)
      throw .drain("the key cannot be used for ES256")
    }
    return context
  }

  private static func isP256(_ key: OpaquePointer) -> Bool {
    guard EVP_PKEY_get_base_id(key) == EVP_PKEY_EC else { return false }
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer in
      guard let base = buffer.baseAddress, EVP_PKEY_get_group_name(key, base, 64, nil) == 1 else { return false }
      return String(cString: base) == "prime256v1"
    }
  }
}
