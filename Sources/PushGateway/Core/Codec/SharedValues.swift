/// Values that were read from stored bytes, found again by equal bytes. Of a million rows nearly all name the same few
/// apps, device models and lists of widgets, and making one anew costs more than all else that is read of a row.
///
/// A place holds one value, and what else comes there takes it over. So whoever chooses what is stored can make this
/// neither large nor slower than without it.
final class SharedValues<Value> {
  private static var placeCount: Int { 1024 }
  private var places: [(bytes: [UInt8], value: Value)?]

  init() { places = Array(repeating: nil, count: Self.placeCount) }

  /// - Parameter make: reads the value from the same bytes; asked only where they were not met lately.
  @inline(__always)
  func value(
    of bytes: UnsafeRawBufferPointer, else make: () throws(ByteReader.Damage) -> Value
  ) throws(ByteReader.Damage) -> Value {
    let place = Self.place(of: bytes)
    if let known = places[place], Self.areEqual(known.bytes, bytes) { return known.value }
    let value = try make()
    places[place] = (Array(bytes), value)
    return value
  }

  private static func place(of bytes: UnsafeRawBufferPointer) -> Int {
    var mixed = UInt64(truncatingIfNeeded: bytes.count)
    var position = 0
    while position + 8 <= bytes.count {
      mixed = (mixed ^ bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)) &* 0x9E37_79B9_7F4A_7C15
      mixed ^= mixed >> 32
      position += 8
    }
    while position < bytes.count {
      mixed = (mixed ^ UInt64(bytes[position])) &* 0x9E37_79B9_7F4A_7C15
      position += 1
    }
    return Int(truncatingIfNeeded: mixed >> 40) & (placeCount - 1)
  }

  private static func areEqual(_ known: [UInt8], _ bytes: UnsafeRawBufferPointer) -> Bool {
    guard known.count == bytes.count else { return false }
    return known.withUnsafeBytes { known in
      var position = 0
      while position + 8 <= bytes.count {
        guard
          known.loadUnaligned(fromByteOffset: position, as: UInt64.self)
            == bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)
        else { return false }
        position += 8
      }
      while position < bytes.count {
        guard known[position] == bytes[position] else { return false }
        position += 1
      }
      return true
    }
  }
}
