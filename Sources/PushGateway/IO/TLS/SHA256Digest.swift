import COpenSSL

/// The SHA-256 of some bytes, held inline: a key for dictionaries and the form in which device keys are stored.
package struct SHA256Digest: Hashable, Sendable, CustomStringConvertible {
  package static let byteCount = 32

  private var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)

  /// Takes stored bytes back; nil unless there are 32.
  package init?(bytes: [UInt8]) {
    guard bytes.count == Self.byteCount else { return nil }
    withUnsafeMutableBytes(of: &words) { $0.copyBytes(from: bytes) }
  }

  private init() {}

  package static func of(_ bytes: UnsafeRawBufferPointer) -> SHA256Digest {
    var digest = SHA256Digest()
    withUnsafeMutableBytes(of: &digest.words) { hash(bytes, into: $0) }
    return digest
  }

  package static func of(_ bytes: [UInt8]) -> SHA256Digest { bytes.withUnsafeBytes { of($0) } }

  package static func of(_ text: String) -> SHA256Digest {
    var text = text
    return text.withUTF8 { of(UnsafeRawBufferPointer($0)) }
  }

  package var bytes: [UInt8] { withBytes { Array($0) } }

  package func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    withUnsafeBytes(of: words) { body($0) }
  }

  /// 64 digits in lower case.
  package var description: String {
    let digits = Array("0123456789abcdef".utf8)
    return withBytes { bytes in
      String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
  }

  /// In constant time: what is compared is usually the trace of a secret.
  package static func == (left: Self, right: Self) -> Bool {
    left.withBytes { left in right.withBytes { constantTimeEqual(left, $0) } }
  }

  package func hash(into hasher: inout Hasher) { withBytes { hasher.combine(bytes: $0) } }

  /// `output` has room for 32 bytes.
  static func hash(_ bytes: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) {
    let done = EVP_Digest(
      bytes.baseAddress, bytes.count, output.baseAddress?.assumingMemoryBound(to: UInt8.self), nil,
      Algorithm.shared.raw, nil)
    guard done == 1 else { preconditionFailure("SHA-256 of memory can only fail without memory") }
  }

  /// The algorithm, fetched once: a fetch for each hash would nearly double its cost (363 against 194 ns).
  ///
  /// `@unchecked Sendable`: a fetched EVP_MD is constant and OpenSSL lets threads share it (EVP_MD_fetch(3)).
  final class Algorithm: @unchecked Sendable {
    static let shared = Algorithm()
    let raw: OpaquePointer?

    private init() { raw = EVP_MD_fetch(nil, "SHA256", nil) ?? EVP_sha256() }
  }
}
