import GatewayCore

/// Provider tokens for tests, "signed" by a checksum that ``ChecksumVerifier`` knows: Core has no cryptography, so
/// its tests need none.
struct JWT {
  enum Alphabet { case url, standardPadded }

  var header = #"{"alg":"ES256","kid":"ABCDEFGHIJ"}"#
  var claims = #"{"iss":"TEAM000001","iat":1700000000}"#
  var alphabet = Alphabet.url
  var signedBy = 0
  var signatureCount = 64

  var text: String {
    let input = encode(Array(header.utf8)) + "." + encode(Array(claims.utf8))
    return input + "." + encode(ChecksumVerifier.signature(of: Array(input.utf8), key: signedBy, count: signatureCount))
  }

  func encode(_ bytes: [UInt8]) -> String {
    let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)
    let last: [UInt8] = alphabet == .url ? [0x2D, 0x5F] : [0x2B, 0x2F]
    var text: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = Array(bytes[start..<min(start + 3, bytes.count)])
      let word = (0..<3).reduce(UInt32(0)) { $0 << 8 | UInt32($1 < group.count ? group[$1] : 0) }
      for digit in 0...group.count { text.append((digits + last)[Int(word >> UInt32(18 - 6 * digit)) & 63]) }
      if alphabet == .standardPadded { text += Array(repeating: 0x3D, count: 3 - group.count) }
    }
    return String(decoding: text, as: UTF8.self)
  }
}

/// Believes what ``JWT`` signs, and counts how often it was asked.
final class ChecksumVerifier: SignatureVerifying {
  private(set) var questions = 0

  static func signature(of message: [UInt8], key: Int, count: Int = 64) -> [UInt8] {
    var state: UInt64 = 0xCBF2_9CE4_8422_2325 ^ UInt64(key)
    for byte in message { state = (state ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return (0..<count).map { UInt8(truncatingIfNeeded: state >> UInt64($0 % 8 * 8)) }
  }

  func verifies(_ signature: UnsafeRawBufferPointer, of message: UnsafeRawBufferPointer, key: Int) -> Bool {
    questions += 1
    return Self.signature(of: Array(message), key: key, count: signature.count) == Array(signature)
  }
}
