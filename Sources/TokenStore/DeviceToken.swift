/// A device token: 1 to 100 bytes, written as hex of either case. Apple warns against assuming a length.
///
/// 32 bytes, what the gateway itself hands out, need no allocation.
package struct DeviceToken: Hashable, Sendable, CustomStringConvertible {
  package static let maximumCount = 100

  // In this order and so small since a gateway holds a million of them.
  private var tail: [UInt8]?
  private var head = InlineArray<32, UInt8>(repeating: 0)
  private let length: UInt8

  package var count: Int { Int(length) }

  /// - Returns: nil unless `bytes` holds 1 to 100 bytes.
  package init?(bytes: UnsafeRawBufferPointer) {
    guard (1...Self.maximumCount).contains(bytes.count) else { return nil }
    length = UInt8(bytes.count)
    withUnsafeMutableBytes(of: &head) { $0.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes.prefix(32))) }
    if bytes.count > 32 { tail = Array(bytes[32...]) }
  }

  package init?(bytes: [UInt8]) {
    guard let token = bytes.withUnsafeBytes({ DeviceToken(bytes: $0) }) else { return nil }
    self = token
  }

  /// - Returns: nil unless `hex` is an even number of hex digits, 2 to 200 of them, of either case.
  package init?(hex: UnsafeRawBufferPointer) {
    guard hex.count.isMultiple(of: 2), (2...2 * Self.maximumCount).contains(hex.count) else { return nil }
    length = UInt8(truncatingIfNeeded: hex.count / 2)
    var rest: [UInt8] = []
    guard let start = Self.decodeFours(of: hex, into: &head) else { return nil }
    for index in start..<count {
      guard let high = HexDigits.value(of: hex[2 * index]), let low = HexDigits.value(of: hex[2 * index + 1]) else {
        return nil
      }
      let byte = high << 4 | low
      if index < 32 { head[index] = byte } else { rest.append(byte) }
    }
    if count > 32 { tail = rest }
  }

  /// - Returns: how many bytes were decoded, four at a time; nil where a digit is none.
  private static func decodeFours(
    of hex: UnsafeRawBufferPointer, into head: inout InlineArray<32, UInt8>
  ) -> Int? {
    withUnsafeMutableBytes(of: &head) { head in
      let end = min(head.count, hex.count / 2) & ~3
      for start in stride(from: 0, to: end, by: 4) {
        let word = hex.loadUnaligned(fromByteOffset: 2 * start, as: UInt64.self)
        guard let four = HexDigits.decode(UInt64(littleEndian: word))?.bytes else { return nil }
        head.storeBytes(of: four.littleEndian, toByteOffset: start, as: UInt32.self)
      }
      return end
    }
  }

  package init?(hex: String) {
    var copy = hex
    guard let token = copy.withUTF8({ DeviceToken(hex: UnsafeRawBufferPointer($0)) }) else { return nil }
    self = token
  }

  package subscript(index: Int) -> UInt8 {
    if index < 32 { return head[index] }
    return tail?[index - 32] ?? 0
  }

  package var bytes: [UInt8] { withBytes { Array($0) } }

  /// Lends the bytes for the length of the call.
  package func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    withUnsafeBytes(of: head) { head in
      guard let tail else { return body(UnsafeRawBufferPointer(rebasing: head.prefix(count))) }
      return (Array(head) + tail).withUnsafeBytes(body)
    }
  }

  /// Lower-case hex.
  package var description: String { HexDigits.text(of: bytes) }

  package static func == (left: Self, right: Self) -> Bool {
    guard left.count == right.count, left.tail == right.tail else { return false }
    return withUnsafeBytes(of: left.head) { left in
      withUnsafeBytes(of: right.head) { right in
        // Four words: this is asked for each push.
        stride(from: 0, to: 32, by: 8).allSatisfy {
          left.loadUnaligned(fromByteOffset: $0, as: UInt64.self)
            == right.loadUnaligned(fromByteOffset: $0, as: UInt64.self)
        }
      }
    }
  }

  package func hash(into hasher: inout Hasher) {
    withUnsafeBytes(of: head) { hasher.combine(bytes: $0) }
    hasher.combine(length)
    if let tail { hasher.combine(tail) }
  }
}
