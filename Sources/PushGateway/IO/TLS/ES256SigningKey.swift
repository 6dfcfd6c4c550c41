import COpenSSL

/// A provider's private key, for `gatewayd init`, `gatewayctl push` and tests. The gateway itself only verifies.
///
/// Not Sendable, because it keeps one OpenSSL context ready. It never prints what it holds.
package final class ES256SigningKey {
  private let key: P256Key
  private let context: OpaquePointer

  /// Makes a new key.
  package convenience init() throws(TLSError) {
    try self.init(try P256Key())
  }

  /// Reads a `.p8` file (PKCS#8 in PEM) or a SEC1 key.
  package convenience init(pem: [UInt8]) throws(TLSError) {
    try self.init(try P256Key(taking: try PEM.privateKey(pem, named: "provider key"), named: "provider key"))
  }

  private init(_ key: consuming P256Key) throws(TLSError) {
    context = try key.context(EVP_PKEY_sign_init)
    self.key = key
  }

  deinit { EVP_PKEY_CTX_free(context) }

  /// The private key as PKCS#8 in PEM: what Apple hands out as `.p8`. Write it with mode 0600.
  package func pem() throws(TLSError) -> [UInt8] { try key.pem() }

  /// The public half as PEM.
  package func publicPEM() throws(TLSError) -> [UInt8] {
    ERR_clear_error()
    guard let text = PEM.text({ PEM_write_bio_PUBKEY($0, key.raw) }) else {
      throw .drain("the public key cannot be written as PEM")
    }
    return text
  }

  /// Signs and answers r ‖ s, 64 bytes, as a JWT wants it.
  package func sign(_ message: [UInt8]) throws(TLSError) -> [UInt8] {
    let der = try signDER(message)
    guard let raw = der.withUnsafeBytes({ ECDSASignature.decodeDER($0) }) else {
      throw TLSError("OpenSSL made a signature that is not one of P-256")
    }
    return raw
  }

  /// Signs and answers DER, as some clients wrongly put it into a JWT.
  package func signDER(_ message: [UInt8]) throws(TLSError) -> [UInt8] {
    let digest = SHA256Digest.of(message).bytes
    var signature = [UInt8](repeating: 0, count: ECDSASignature.longestDER)
    var count = signature.count
    ERR_clear_error()
    guard EVP_PKEY_sign(context, &signature, &count, digest, digest.count) == 1 else {
      throw .drain("the key did not sign")
    }
    return Array(signature[..<count])
  }
}
