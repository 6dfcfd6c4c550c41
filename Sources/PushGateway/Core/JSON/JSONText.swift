import TokenStore

/// Where a JSON text stands in its bytes, without the quotation marks. Already checked, so reading it cannot fail.
package struct JSONText: Equatable, Sendable {
  package let start: Int
  package let end: Int
  package let hasEscapes: Bool

  /// Whether it means `literal`, escapes undone: `"a\u0070s"` is `aps`.
  package func equals(_ literal: StaticString, in bytes: UnsafeRawBufferPointer) -> Bool {
    let raw = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
    guard hasEscapes else { return raw.equals(literal) }
    // An escape is never shorter than what it stands for, at most six times as long when that is ASCII.
    guard (literal.utf8CodeUnitCount...6 * literal.utf8CodeUnitCount).contains(raw.count) else { return false }
    return decoded(in: bytes).elementsEqual(
      UnsafeBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount))
  }

  package func string(in bytes: UnsafeRawBufferPointer) -> String {
    String(decoding: decoded(in: bytes), as: UTF8.self)
  }

  /// The text's UTF-8, escapes undone.
  private func decoded(in bytes: UnsafeRawBufferPointer) -> [UInt8] {
    guard hasEscapes else { return Array(bytes[start..<end]) }
    var result: [UInt8] = []
    var position = start
    while position < end {
      guard bytes[position] == 0x5C, position + 1 < end else {
        result.append(bytes[position])
        position += 1
        continue
      }
      let escape = bytes[position + 1]
      position += 2
      switch escape {
      case 0x62: result.append(0x08)
      case 0x66: result.append(0x0C)
      case 0x6E: result.append(0x0A)
      case 0x72: result.append(0x0D)
      case 0x74: result.append(0x09)
      case 0x75:
        var value = Self.hexUnit(bytes, at: position) ?? 0xFFFD
        position += 4
        if value & 0xFC00 == 0xD800, let low = Self.hexUnit(bytes, at: position + 2) {
          value = 0x10000 + (value & 0x3FF) << 10 + (low & 0x3FF)
          position += 6
        }
        result.append(contentsOf: UTF8.encode(Unicode.Scalar(value) ?? "\u{FFFD}") ?? UTF8.encodedReplacementCharacter)
      default: result.append(escape)
      }
    }
    return result
  }

  /// Four hex digits; nil when they are not.
  static func hexUnit(_ bytes: UnsafeRawBufferPointer, at position: Int) -> UInt32? {
    guard position + 4 <= bytes.count else { return nil }
    var unit: UInt32 = 0
    for index in position..<(position + 4) {
      guard let digit = HexDigits.value(of: bytes[index]) else { return nil }
      unit = unit << 4 | UInt32(digit)
    }
    return unit
  }
}
