import Testing

@testable import GatewayIO

/// Protects nghttp2 from memory that is too small, dirty where it must be clean, or somebody else's.
@Suite("HTTP/2 memory of sessions") struct HTTP2SessionMemoryTests {
  @Test("A piece holds what was asked for, and what is given back is used again", arguments: [0, 1, 48, 49, 200, 496])
  func again(size: Int) throws {
    let memory = SessionMemory()
    let first = try #require(memory.take(size))
    let second = try #require(memory.take(size))
    #expect(first != second)
    #expect(SessionMemory.room(in: first) >= size)
    #expect(Int(bitPattern: first) % 16 == 0)
    first.initializeMemory(as: UInt8.self, repeating: 1, count: SessionMemory.room(in: first))
    second.initializeMemory(as: UInt8.self, repeating: 2, count: SessionMemory.room(in: second))
    #expect(UnsafeRawBufferPointer(start: first, count: size).allSatisfy { $0 == 1 })
    memory.giveBack(first)
    memory.giveBack(second)
    try #require(memory.take(size) == second)
    try #require(memory.take(size) == first)
    memory.giveBack(first)
    memory.giveBack(second)
  }

  @Test("Cleared memory is clear, also where it was used before")
  func cleared() throws {
    let memory = SessionMemory()
    let dirty = try #require(memory.take(100))
    dirty.initializeMemory(as: UInt8.self, repeating: 0xFF, count: 100)
    memory.giveBack(dirty)
    let clean = try #require(memory.takeCleared(10, of: 10))
    #expect(clean == dirty)
    #expect(UnsafeRawBufferPointer(start: clean, count: 100).allSatisfy { $0 == 0 })
    memory.giveBack(clean)
    #expect(memory.takeCleared(.max, of: 2) == nil)
    #expect(memory.take(.max) == nil)
  }

  @Test("A piece that grows keeps its bytes, through all sizes")
  func grows() throws {
    let memory = SessionMemory()
    var piece = try #require(memory.take(1))
    for size in stride(from: 1, through: 3000, by: 37) {
      piece = try #require(memory.resize(piece, to: size))
      piece.storeBytes(of: UInt8(truncatingIfNeeded: size), toByteOffset: size - 1, as: UInt8.self)
      for old in stride(from: 1, through: size, by: 37) {
        #expect(piece.load(fromByteOffset: old - 1, as: UInt8.self) == UInt8(truncatingIfNeeded: old))
      }
    }
    memory.giveBack(piece)
  }
}
