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
    precondition(destination.count >= Self.textCount, "A UUID's text has 36 characters.")
    destination[8] = 0x2D
    destination[13] = 0x2D
    destination[18] = 0x2D
    destination[23] = 0x2D
    store(UInt32(truncatingIfNeeded: high >> 32), digits: 24, at: 0, 4, in: destination)
    store(UInt32(truncatingIfNeeded: high), digits: 16, at: 9, 14, in: destination)
    store(UInt32(truncatingIfNeeded: low >> 32), digits: 8, at: 19, 24, in: destination)
    store(UInt32(truncatingIfNeeded: low), digits: 0, at: 28, 32, in: destination)
  }

  /// Writes eight digits as two times four. `digits`: where their case stands in `upperCaseDigits`.
  @inline(__always)
  private func store(
    _ word: UInt32, digits: UInt32, at first: Int, _ second: Int, in destination: UnsafeMutableRawBufferPointer
  ) {
    let text = HexDigits.encode(word, upperCase: UInt8(truncatingIfNeeded: upperCaseDigits >> digits))
    destination.storeBytes(of: UInt32(truncatingIfNeeded: text >> 32).bigEndian, toByteOffset: first, as: UInt32.self)
    destination.storeBytes(of: UInt32(truncatingIfNeeded: text).bigEndian, toByteOffset: second, as: UInt32.self)
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
