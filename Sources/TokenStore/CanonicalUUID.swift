/// 128 bits that are written 8-4-4-4-12, and which digits came in upper case, so that a client's spelling comes back
/// byte for byte: aioapns finds its request by the exact text.
///
/// Not Foundation's `UUID`: making one of those costs microseconds, and this is on the push path.
package struct CanonicalUUID: Sendable {
  package static let textCount = 36

  package var high: UInt64
  package var low: UInt64
  /// One bit a digit, the first digit highest; where the digit is no letter the bit says nothing.
  package private(set) var upperCaseDigits: UInt32

  /// Whether any letter is in upper case.
  package var isUpperCase: Bool { upperCaseDigits != 0 }

  package init(high: UInt64, low: UInt64, isUpperCase: Bool = false) {
    self.high = high
    self.low = low
    upperCaseDigits = isUpperCase ? .max : 0
  }

  /// As the store keeps it, spelling included.
  package init(high: UInt64, low: UInt64, upperCaseDigits: UInt32) {
    self.high = high
    self.low = low
    self.upperCaseDigits = upperCaseDigits
  }

  /// Random bits with version 4 and the variant of RFC 9562 §5.4 set.
  package init(randomHigh: UInt64, randomLow: UInt64, isUpperCase: Bool) {
    high = randomHigh & 0xFFFF_FFFF_FFFF_0FFF | 0x4000
    low = randomLow & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
    upperCaseDigits = isUpperCase ? .max : 0
  }

  /// - Returns: nil unless `text` is 32 hex digits of any case, grouped 8-4-4-4-12.
  package init?(_ text: UnsafeRawBufferPointer) {
    guard text.count == Self.textCount, text[8] == 0x2D, text[13] == 0x2D, text[18] == 0x2D, text[23] == 0x2D,
      let first = HexDigits.decode(Self.digits(of: text, at: 0, 4)),
      let second = HexDigits.decode(Self.digits(of: text, at: 9, 14)),
      let third = HexDigits.decode(Self.digits(of: text, at: 19, 24)),
      let fourth = HexDigits.decode(Self.digits(of: text, at: 28, 32))
    else { return nil }
    high = UInt64(first.bytes.byteSwapped) << 32 | UInt64(second.bytes.byteSwapped)
    low = UInt64(third.bytes.byteSwapped) << 32 | UInt64(fourth.bytes.byteSwapped)
    upperCaseDigits =
      UInt32(first.upperCase) << 24 | UInt32(second.upperCase) << 16 | UInt32(third.upperCase) << 8
      | UInt32(fourth.upperCase)
  }

  /// Two times four digits as one word, the first lowest.
  @inline(__always)
  private static func digits(of text: UnsafeRawBufferPointer, at first: Int, _ second: Int) -> UInt64 {
    let front = UInt32(littleEndian: text.loadUnaligned(fromByteOffset: first, as: UInt32.self))
    let back = UInt32(littleEndian: text.loadUnaligned(fromByteOffset: second, as: UInt32.self))
    return UInt64(back) << 32 | UInt64(front)
  }

  package init?(_ text: String) {
    var copy = text
    guard let uuid = copy.withUTF8({ CanonicalUUID(UnsafeRawBufferPointer($0)) }) else { return nil }
    self = uuid
  }

  /// Writes the 36 characters to `destination`, which must hold at least as many.
  package func write(to destination: UnsafeMutableRawBufferPointer) {
    var digits = 0
    for index in 0..<Self.textCount {
      if index == 8 || index == 13 || index == 18 || index == 23 {
        destination[index] = 0x2D
        continue
      }
      let word = digits < 16 ? high : low
      let value = UInt8(truncatingIfNeeded: word >> UInt64(60 - 4 * (digits & 15))) & 15
      let letter: UInt8 = upperCaseDigits & 0x8000_0000 >> UInt32(digits) != 0 ? 0x41 - 10 : 0x61 - 10
      destination[index] = value < 10 ? 0x30 + value : letter + value
      digits += 1
    }
  }
}

extension CanonicalUUID: Hashable {
  /// The spelling is no part of the identity.
  package static func == (left: Self, right: Self) -> Bool { left.high == right.high && left.low == right.low }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(high)
    hasher.combine(low)
  }
}

extension CanonicalUUID: CustomStringConvertible {
  package var description: String {
    String(unsafeUninitializedCapacity: Self.textCount) { buffer in
      write(to: UnsafeMutableRawBufferPointer(buffer))
      return Self.textCount
    }
  }
}
