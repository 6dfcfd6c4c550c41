/// Reads what ``ByteWriter`` wrote. Whatever the bytes are, it answers with a value or throws: a damaged store is
/// named, never trapped on.
///
/// It borrows its bytes: valid only within the call that lends them.
package struct ByteReader {
  /// What is wrong with stored bytes, and where.
  package struct Damage: Error, CustomStringConvertible {
    package let offset: Int
    package let expected: String

    package var description: String { "byte \(offset): expected \(expected)" }
  }

  private let bytes: UnsafeRawBufferPointer
  package private(set) var position = 0

  package init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  package var isAtEnd: Bool { position == bytes.count }

  package func damage(_ expected: String) -> Damage { Damage(offset: position, expected: expected) }

  package mutating func byte() throws(Damage) -> UInt8 {
    guard position < bytes.count else { throw damage("one more byte") }
    defer { position += 1 }
    return bytes[position]
  }

  @inline(__always)
  package mutating func number() throws(Damage) -> UInt64 {
    // Most are that short: lengths, flags, counts.
    if position < bytes.count, bytes[position] < 0x80 {
      defer { position += 1 }
      return UInt64(bytes[position])
    }
    return try longNumber()
  }

  private mutating func longNumber() throws(Damage) -> UInt64 {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while shift < 64 {
      let next = try byte()
      guard shift < 63 || next <= 1 else { break }
      value |= UInt64(next & 0x7F) << shift
      if next < 0x80 { return value }
      shift += 7
    }
    throw damage("a number of at most 64 bits")
  }

  /// A number that the ledger counts on from: there must be room above it.
  package mutating func ordinal() throws(Damage) -> UInt64 {
    let value = try number()
    guard value <= UInt64(Int64.max) else { throw damage("a number that can be counted on from") }
    return value
  }

  package mutating func flag() throws(Damage) -> Bool {
    switch try byte() {
    case 0: false
    case 1: true
    default: throw damage("0 or 1")
    }
  }

  package mutating func signed() throws(Damage) -> Int64 {
    let value = try number()
    return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
  }

  package mutating func fixed() throws(Damage) -> UInt64 {
    guard bytes.count - position >= 8 else { throw damage("eight more bytes") }
    defer { position += 8 }
    return UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self))
  }

  /// The end of what the row or record says.
  package func end() throws(Damage) {
    guard isAtEnd else { throw damage("nothing more") }
  }

  package mutating func count(atMost limit: Int) throws(Damage) -> Int {
    let value = try number()
    guard value <= UInt64(limit) else { throw damage("a count of at most \(limit)") }
    return Int(value)
  }

  package mutating func blob(atMost limit: Int = 1 << 20) throws(Damage) -> [UInt8] {
    Array(try borrowedBlob(atMost: limit))
  }

  /// As ``blob(atMost:)``, lent as the reader's own bytes are.
  mutating func borrowedBlob(atMost limit: Int = 1 << 20) throws(Damage) -> UnsafeRawBufferPointer {
    let length = try count(atMost: limit)
    guard bytes.count - position >= length else { throw damage("\(length) more bytes") }
    defer { position += length }
    return UnsafeRawBufferPointer(rebasing: bytes[position..<position + length])
  }

  /// The bytes from an earlier position up to here, lent as the reader's own bytes are.
  func borrowed(since start: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: bytes[start..<position])
  }

  /// This reader as it was at an earlier position, to read what lies behind once more.
  func back(at start: Int) -> ByteReader {
    var earlier = self
    earlier.position = start
    return earlier
  }

  package mutating func text(atMost limit: Int = 1 << 16) throws(Damage) -> String {
    guard let text = String(validating: try borrowedText(atMost: limit), as: UTF8.self) else { throw damage("UTF-8") }
    return text
  }

  /// Where a text stands, whose bytes nobody has looked at.
  mutating func borrowedText(atMost limit: Int = 1 << 16) throws(Damage) -> UnsafeRawBufferPointer {
    try borrowedBlob(atMost: limit)
  }

  package mutating func optional<Value>(
    _ read: (inout ByteReader) throws(Damage) -> Value
  ) throws(Damage) -> Value? {
    try flag() ? try read(&self) : nil
  }
}
