/// The octets of one body, in memory that grows and is used again.
final class BodyBuffer {
  /// As with ``HTTP2Stream/Keeper``: a buffer is kept by the pool in which it rests, or by the stream that it was lent to.
  typealias Keeper = Unmanaged<BodyBuffer>

  private var memory: UnsafeMutableRawPointer
  private var room = 512
  private var used = 0

  init() { memory = .allocate(byteCount: 512, alignment: 8) }

  deinit { memory.deallocate() }

  var capacity: Int { room }
  var count: Int { used }
  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: memory, count: used) }

  func append(_ octets: UnsafeRawBufferPointer) {
    guard let start = octets.baseAddress else { return }
    if octets.count > room - used { grow(to: used + octets.count) }
    (memory + used).copyMemory(from: start, byteCount: octets.count)
    used += octets.count
  }

  func removeAll() { used = 0 }

  private func grow(to needed: Int) {
    room = max(needed, 2 * room)
    let larger = UnsafeMutableRawPointer.allocate(byteCount: room, alignment: 8)
    larger.copyMemory(from: memory, byteCount: used)
    memory.deallocate()
    memory = larger
  }
}
