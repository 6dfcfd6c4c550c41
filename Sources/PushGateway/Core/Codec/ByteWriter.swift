/// Appends the store's binary form: LEB128 numbers, length-prefixed bytes.
///
/// It writes into memory of its own, which is freed with it: an array is asked with each byte whether it is shared. And it
/// is an object, held in a `let`: a value that a class holds is checked for overlaps of accesses at run time, each time.
package final class ByteWriter {
  private var memory: UnsafeMutableRawBufferPointer
  private var used = 0

  package init(reserving capacity: Int = 0) { memory = .allocate(byteCount: capacity, alignment: 8) }

  deinit { memory.deallocate() }

  package var count: Int { used }
  package var isEmpty: Bool { used == 0 }

  /// What was written, lent until the next change.
  var borrowed: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[..<used]) }

  /// A copy of what was written.
  package var bytes: [UInt8] { Array(memory[..<used]) }

  package func removeAll() { used = 0 }

  /// Hands the bytes over and starts again, with room for as many.
  package func take() -> [UInt8] {
    defer { used = 0 }
    return bytes
  }

  package func byte(_ value: UInt8) {
    makeRoom(for: 1)
    memory[used] = value
    used += 1
  }

  package func number(_ value: UInt64) {
    makeRoom(for: 10)
    var (rest, end) = (value, used)
    while rest >= 0x80 {
      memory[end] = UInt8(truncatingIfNeeded: rest) | 0x80
      rest >>= 7
      end += 1
    }
    memory[end] = UInt8(truncatingIfNeeded: rest)
    used = end + 1
  }

  /// Zigzag, so that small negative numbers stay short.
  package func signed(_ value: Int64) {
    number(UInt64(bitPattern: (value << 1) ^ (value >> 63)))
  }

  /// Eight bytes, big end first: for hashes and ids, which no varint shortens.
  package func fixed(_ value: UInt64) {
    makeRoom(for: 8)
    memory.storeBytes(of: value.bigEndian, toByteOffset: used, as: UInt64.self)
    used += 8
  }

  /// What was written before, as it is.
  package func append(_ written: [UInt8]) { written.withUnsafeBytes { append($0) } }

  func append(_ bytes: UnsafeRawBufferPointer) {
    makeRoom(for: bytes.count)
    UnsafeMutableRawBufferPointer(rebasing: memory[used...]).copyMemory(from: bytes)
    used += bytes.count
  }

  package func blob(_ value: [UInt8]) {
    number(UInt64(value.count))
    append(value)
  }

  package func text(_ value: String) {
    number(UInt64(value.utf8.count))
    var value = value
    value.withUTF8 { append(UnsafeRawBufferPointer($0)) }
  }

  package func optional<Value>(_ value: Value?, _ write: (ByteWriter, Value) -> Void) {
    guard let value else { return byte(0) }
    byte(1)
    write(self, value)
  }

  @inline(__always)
  private func makeRoom(for extra: Int) {
    if extra > memory.count - used { grow(to: used + extra) }
  }

  private func grow(to needed: Int) {
    let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: max(64, max(needed, 2 * memory.count)), alignment: 8)
    larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: memory[..<used]))
    memory.deallocate()
    memory = larger
  }
}
