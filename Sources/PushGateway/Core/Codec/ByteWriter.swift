/// Appends the store's binary form: LEB128 numbers, length-prefixed bytes.
package struct ByteWriter: Sendable {
  package private(set) var bytes: [UInt8] = []

  package init(reserving capacity: Int = 0) { bytes.reserveCapacity(capacity) }

  package mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

  /// Hands the bytes over and starts again with room for as many.
  package mutating func take() -> [UInt8] {
    let taken = bytes
    bytes = []
    bytes.reserveCapacity(taken.count)
    return taken
  }

  package mutating func byte(_ value: UInt8) { bytes.append(value) }

  package mutating func number(_ value: UInt64) {
    guard value >= 0x80 else { return bytes.append(UInt8(value)) }
    // Gathered first: an append asks each time whether the array is its owner's alone.
    var digits = InlineArray<10, UInt8>(repeating: 0)
    var (rest, count) = (value, 0)
    while rest >= 0x80 {
      digits[count] = UInt8(truncatingIfNeeded: rest) | 0x80
      rest >>= 7
      count += 1
    }
    digits[count] = UInt8(rest)
    withUnsafeBytes(of: &digits) { bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: $0[...count])) }
  }

  /// Zigzag, so that small negative numbers stay short.
  package mutating func signed(_ value: Int64) {
    number(UInt64(bitPattern: (value << 1) ^ (value >> 63)))
  }

  /// Eight bytes, big end first: for hashes and ids, which no varint shortens.
  package mutating func fixed(_ value: UInt64) {
    withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
  }

  /// What was written before, as it is.
  package mutating func append(_ written: [UInt8]) { bytes.append(contentsOf: written) }

  package mutating func blob(_ value: [UInt8]) {
    number(UInt64(value.count))
    bytes.append(contentsOf: value)
  }

  package mutating func text(_ value: String) {
    number(UInt64(value.utf8.count))
    bytes.append(contentsOf: value.utf8)
  }

  package mutating func optional<Value>(_ value: Value?, _ write: (inout ByteWriter, Value) -> Void) {
    guard let value else { return byte(0) }
    byte(1)
    write(&self, value)
  }
}
