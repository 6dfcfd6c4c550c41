/// Names a device token in the log without saying it: lines about one token can be found together, and the token cannot
/// be found from them.
///
/// SipHash with a key of this process, so that the names of two runs have nothing in common and nobody can try out
/// tokens against a log.
package struct LogDigest: Sendable {
  private let key: (UInt64, UInt64)

  /// - Parameter key: random, made once at the start. `Hasher` has a random key of its own, which the environment can
  ///   switch off (SWIFT_DETERMINISTIC_HASHING), hence one of ours besides.
  package init(key: (UInt64, UInt64)) { self.key = key }

  /// Twelve hexadecimal digits.
  package func name(of bytes: some Sequence<UInt8>) -> String {
    var hasher = Hasher()
    hasher.combine(key.0)
    hasher.combine(key.1)
    for byte in bytes { hasher.combine(byte) }
    hasher.combine(key.0)
    let digest = UInt64(bitPattern: Int64(hasher.finalize())) >> 16
    let text = String(digest, radix: 16)
    return String(repeating: "0", count: 12 - text.count) + text
  }
}
