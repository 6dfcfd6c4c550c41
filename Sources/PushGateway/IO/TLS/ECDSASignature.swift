/// The two forms of a P-256 signature: r ‖ s with 32 bytes each, as JWS has it (RFC 7518 §3.4), and the DER sequence of
/// two integers that OpenSSL speaks.
enum ECDSASignature {
  static let rawCount = 64
  /// SEQUENCE and INTEGER headers, and a zero before each number whose top bit is set.
  static let longestDER = 72

  /// Writes the DER form of r ‖ s into `output`, which has room for ``longestDER`` bytes, and says how long it is.
  static func encodeDER(raw: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> Int {
    var end = 2
    for start in [0, 32] {
      var first = start
      // Shortest form (X.690 §8.3.2), but never empty.
      while first < start + 31, raw[first] == 0 { first += 1 }
      let padding = raw[first] & 0x80 != 0 ? 1 : 0
      let count = start + 32 - first
      output[end] = 0x02
      output[end + 1] = UInt8(count + padding)
      if padding == 1 { output[end + 2] = 0 }
      end += 2 + padding
      for index in first..<(start + 32) {
        output[end] = raw[index]
        end += 1
      }
    }
    output[0] = 0x30
    output[1] = UInt8(end - 2)
    return end
  }

  /// r ‖ s of a DER signature; nil when it is not one for P-256.
  static func decodeDER(_ der: UnsafeRawBufferPointer) -> [UInt8]? {
    guard der.count >= 2, der[0] == 0x30, Int(der[1]) == der.count - 2 else { return nil }
    var raw: [UInt8] = []
    raw.reserveCapacity(rawCount)
    var index = 2
    for _ in 0..<2 {
      guard index + 2 <= der.count, der[index] == 0x02 else { return nil }
      let count = Int(der[index + 1])
      guard count >= 1, index + 2 + count <= der.count else { return nil }
      let number = der[(index + 2)..<(index + 2 + count)].drop { $0 == 0 }
      guard number.count <= 32 else { return nil }
      raw.append(contentsOf: repeatElement(0, count: 32 - number.count))
      raw.append(contentsOf: number)
      index += 2 + count
    }
    return index == der.count ? raw : nil
  }
}
