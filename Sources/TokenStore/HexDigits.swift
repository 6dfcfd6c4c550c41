/// Reads and writes hex digits eight at a time: device tokens and UUIDs come with every push, and a digit at a time
/// costs more than all else that is done with them.
package enum HexDigits {
  private static let ones: UInt64 = 0x0101_0101_0101_0101

  /// - Parameter word: eight ASCII digits, the first in the lowest byte.
  /// - Returns: nil unless all are hex digits of either case. Otherwise four bytes, the first lowest, and which digits
  ///   are letters in upper case, the first in the highest bit.
  @inline(__always)
  static func decode(_ word: UInt64) -> (bytes: UInt32, upperCase: UInt8)? {
    let low = word & (ones &* 0x0F)
    // Bit 6 tells letters (0x41…, 0x61…) from decimals (0x30…).
    let letter = (word >> 6) & ones
    let value = low &+ letter &* 9
    // What the digits must have been, letters in lower case; differs where the upper half of a byte is foreign.
    let expected = low &+ ones &* 0x30 &+ letter &* 0x30
    let foreign = expected ^ (word | letter << 5)
    // Decimals end at 9, so 6 more must not carry; letters begin at 1, so 15 more must, and end at 6 (value 15).
    let carry = ((low &+ ones &* 6 &+ letter &* 9) >> 4) & ones
    guard foreign | (value & (ones &* 0x10)) | (carry ^ letter) == 0 else { return nil }

    var packed = (value << 4 | value >> 8) & 0x00FF_00FF_00FF_00FF
    packed = (packed | packed >> 8) & 0x0000_FFFF_0000_FFFF
    packed = (packed | packed >> 16) & 0xFFFF_FFFF
    let upper = letter & ~(word >> 5)
    return (
      UInt32(truncatingIfNeeded: packed), UInt8(truncatingIfNeeded: (upper &* 0x8040_2010_0804_0201) >> 56)
    )
  }

  /// - Parameters:
  ///   - bytes: four bytes, the first highest.
  ///   - upperCase: which digits are in upper case if they are letters, the first in the highest bit.
  /// - Returns: eight ASCII digits, the first in the highest byte.
  @inline(__always)
  static func encode(_ bytes: UInt32, upperCase: UInt8) -> UInt64 {
    var value = UInt64(bytes)
    value = (value << 16 | value) & 0x0000_FFFF_0000_FFFF
    value = (value << 8 | value) & 0x00FF_00FF_00FF_00FF
    value = (value << 4 | value) & 0x0F0F_0F0F_0F0F_0F0F
    let letter = ((value &+ ones &* 6) >> 4) & ones
    let wanted = (UInt64(upperCase) &* ones) & 0x8040_2010_0804_0201
    let upper = ((wanted &+ ones &* 0x7F) >> 7) & letter
    // Letters in lower case begin 39 behind the decimals, and 32 before that in upper case.
    return value &+ ones &* 0x30 &+ letter &* 39 &- upper &* 32
  }

  /// One digit of either case; nil when it is none. For the few that do not come in eights.
  package static func value(of digit: UInt8) -> UInt8? {
    switch digit {
    case 0x30...0x39: digit - 0x30
    case 0x41...0x46: digit - 0x41 + 10
    case 0x61...0x66: digit - 0x61 + 10
    default: nil
    }
  }

  /// Two digits a byte, in lower case.
  package static func text(of bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }
}
