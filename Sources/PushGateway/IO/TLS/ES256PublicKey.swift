import COpenSSL

/// A provider's key: says whether a signature over some bytes is its own (ES256, RFC 7518 §3.4).
///
/// Not Sendable, because it keeps one OpenSSL context ready; each loop reads its own from the same PEM.
package final class ES256PublicKey {
  private let key: P256Key
  private let context: OpaquePointer

  /// Reads a `.p8` (PKCS#8), a SEC1 private key, or a public key, all PEM. Of a private key only the public half is kept.
  package init(pem: [UInt8]) throws(TLSError) {
    let found: OpaquePointer
    if let publicKey = PEM.publicKey(pem) {
      found = publicKey
    } else {
      let privateKey = try PEM.privateKey(pem, named: "provider key")
      defer { EVP_PKEY_free(privateKey) }
      guard let publicHalf = Self.publicHalf(of: privateKey) else {
        throw .drain("the provider key has no public half")
      }
      found = publicHalf
    }
    key = try P256Key(taking: found, named: "provider key")
    context = try key.context(EVP_PKEY_verify_init)
  }

  deinit { EVP_PKEY_CTX_free(context) }

  /// True if the key's owner signed `message`. `signature` is r ‖ s (64 bytes) or DER; anything else is just false.
  /// About 41 µs, right or wrong.
  package func verify(signature: UnsafeRawBufferPointer, of message: UnsafeRawBufferPointer) -> Bool {
    if signature.count == ECDSASignature.rawCount {
      let isValid = withUnsafeTemporaryAllocation(byteCount: ECDSASignature.longestDER, alignment: 1) { der in
        let count = ECDSASignature.encodeDER(raw: signature, into: der)
        return verify(der: UnsafeRawBufferPointer(rebasing: der[..<count]), of: message)
      }
      // One DER signature in 2^48 is just as long.
      return isValid || (signature[0] == 0x30 && signature[1] == 62 && verify(der: signature, of: message))
    }
    guard signature.count >= 8, signature.count <= ECDSASignature.longestDER else { return false }
    return verify(der: signature, of: message)
  }

  package func verify(signature: [UInt8], of message: [UInt8]) -> Bool {
    signature.withUnsafeBytes { signature in message.withUnsafeBytes { verify(signature: signature, of: $0) } }
  }

  private func verify(der: UnsafeRawBufferPointer, of message: UnsafeRawBufferPointer) -> Bool {
    withUnsafeTemporaryAllocation(byteCount: SHA256Digest.byteCount, alignment: 8) { digest in
      SHA256Digest.hash(message, into: digest)
      ERR_clear_error()
      let result = EVP_PKEY_verify(
        context, der.baseAddress?.assumingMemoryBound(to: UInt8.self), der.count,
        digest.baseAddress?.assumingMemoryBound(to: UInt8.self), digest.count)
      if result != 1 { ERR_clear_error() }
      return result == 1
    }
  }

  /// Through the encoding: the new key has never known the private number.
  private static func publicHalf(of key: OpaquePointer) -> OpaquePointer? {
    var encoded: UnsafeMutablePointer<UInt8>?
    let count = i2d_PUBKEY(key, &encoded)
    guard count > 0, let encoded else { return nil }
    defer { CRYPTO_free(encoded, nil, 0) }
    var cursor: UnsafePointer<UInt8>? = UnsafePointer(encoded)
    return d2i_PUBKEY(nil, &cursor, Int(count))
  }
}
