/// 128 bits that are written 8-4-4-4-12, and which digits came in upper case, so that a client's spelling comes back
/// byte for byte: aioapns finds its request by the exact text.
///
/// Not Foundation's `UUID`: making one of those costs microseconds, and this is on the push path.
package struct CanonicalUUID: Sendable {
  package static let textCount = 36

  package var high: UInt64
  package var low: UInt64
  /// One bit a digit, the first digit highest; where the digit is no letter the bit says nothing.
  private var upperCaseDigits: UInt32

  /// Whether any letter is in upper case.
  package var isUpperCase: Bool { upperCaseDigits != 0 }

  package init(high: UInt64, low: UInt64, isUpperCase: Bool = false) {
    self.high = high
    self.low = low
    upperCaseDigits = isUpperCase ? .max : 0
  }

  /// Random bits with version 4 and the variant of RFC 9562 §5.4 set.
  package init(randomHigh: UInt64, randomLow: UInt64, isUpperCase: Bool) {
    high = randomHigh & 0xFFFF_FFFF_FFFF_0FFF | 0x4000
    low = randomLow & 0x3FFF_FFFF_FFFF_FFFF | 0x8000_0000_0000_0000
    upperCaseDigits = isUpperCase ? .max : 0
  }

  /// - Returns: nil unless `text` is 32 hex digits of any case, grouped 8-4-4-4-12.
  package init?(_ text: UnsafeRawBufferPointer) {
    guard text.count == Self.textCount else { return nil }
    var words: (UInt64, UInt64) = (0, 0)
    var digits = 0
    var upper: UInt32 = 0
    for index in 0..<Self.textCount {
      let byte = text[index]
      if index == 8 || index == 13 || index == 18 || index == 23 {
        guard byte == 0x2D else { return nil }
        continue
      }
      let value: UInt8
      switch byte {
      case 0x30...0x39: value = byte - 0x30
      case 0x61...0x66: value = byte - 0x61 + 10
      case 0x41...0x46:
        value = byte - 0x41 + 10
        upper |= 0x8000_0000 >> UInt32(digits)
      default: return nil
      }
      if digits < 16 { words.0 = words.0 << 4 | UInt64(value) } else { words.1 = words.1 << 4 | UInt64(value) }
      digits += 1
    }
    high = words.0
    low = words.1
    upperCaseDigits = upper
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
