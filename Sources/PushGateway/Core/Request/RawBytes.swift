extension UnsafeRawBufferPointer {
  /// Compares with ASCII text known at compile time.
  @inline(__always)
  package func equals(_ text: StaticString) -> Bool {
    guard count == text.utf8CodeUnitCount else { return false }
    for index in 0..<count where self[index] != text.utf8Start[index] { return false }
    return true
  }

  /// As ``equals(_:)``, for the case-insensitive tokens of HTTP. `text` is lower case.
  package func equalsIgnoringCase(_ text: StaticString) -> Bool {
    guard count == text.utf8CodeUnitCount else { return false }
    for index in 0..<count {
      var byte = self[index]
      if byte >= 0x41, byte <= 0x5A { byte |= 0x20 }
      if byte != text.utf8Start[index] { return false }
    }
    return true
  }

  @inline(__always)
  package func hasPrefix(_ text: StaticString) -> Bool {
    guard count >= text.utf8CodeUnitCount else { return false }
    return UnsafeRawBufferPointer(rebasing: self[..<text.utf8CodeUnitCount]).equals(text)
  }

  @inline(__always)
  package func hasSuffix(_ text: StaticString) -> Bool {
    guard count >= text.utf8CodeUnitCount else { return false }
    return UnsafeRawBufferPointer(rebasing: self[(count - text.utf8CodeUnitCount)...]).equals(text)
  }

  /// Whether both hold the same bytes, 32 at a time.
  @inline(__always)
  package func hasSameBytes(as other: UnsafeRawBufferPointer) -> Bool {
    guard count == other.count else { return false }
    var index = 0
    while index + 32 <= count {
      let difference =
        differs(from: other, at: index) | differs(from: other, at: index + 8) | differs(from: other, at: index + 16)
        | differs(from: other, at: index + 24)
      if difference != 0 { return false }
      index += 32
    }
    while index + 8 <= count {
      if differs(from: other, at: index) != 0 { return false }
      index += 8
    }
    while index < count {
      if self[index] != other[index] { return false }
      index += 1
    }
    return true
  }

  /// Zero where eight bytes are the same.
  @inline(__always)
  private func differs(from other: UnsafeRawBufferPointer, at index: Int) -> UInt64 {
    loadUnaligned(fromByteOffset: index, as: UInt64.self) ^ other.loadUnaligned(fromByteOffset: index, as: UInt64.self)
  }
}
