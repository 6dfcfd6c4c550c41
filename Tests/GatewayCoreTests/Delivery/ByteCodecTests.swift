import GatewayCore
import SeededRandom
import Testing

/// Protects the form of everything stored: it reads back as it was written, and damage is named and never trapped on.
@Suite("The store's bytes") struct ByteCodecTests {
  private static func reading(_ bytes: [UInt8], _ body: (inout ByteReader) throws -> Void) rethrows {
    try bytes.withUnsafeBytes { buffer in
      var reader = ByteReader(buffer)
      try body(&reader)
    }
  }

  private static let lengths: [UInt64] = [0] + (0..<64).map { UInt64(1) << $0 } + (0..<64).map { UInt64.max >> $0 }

  @Test(
    "Numbers come back, at every length", arguments: lengths)
  func numbers(value: UInt64) throws {
    let writer = ByteWriter()
    writer.number(value)
    #expect(writer.bytes.count == max(1, (70 - value.leadingZeroBitCount) / 7))
    writer.fixed(value)
    writer.signed(Int64(bitPattern: value))
    writer.signed(-Int64(bitPattern: value >> 1))
    try Self.reading(writer.bytes) { reader in
      let (number, fixed) = (try reader.number(), try reader.fixed())
      let (signed, negative) = (try reader.signed(), try reader.signed())
      try reader.end()
      #expect(number == value)
      #expect(fixed == value)
      #expect(signed == Int64(bitPattern: value))
      #expect(negative == -Int64(bitPattern: value >> 1))
    }
  }

  @Test("Small negative numbers stay short", arguments: [-1, -64, 63] as [Int64])
  func zigzag(value: Int64) {
    let writer = ByteWriter()
    writer.signed(value)
    #expect(writer.bytes.count == 1)
  }

  @Test(
    "Text, bytes and what may be absent come back",
    arguments: ["", "a", "täglich ☕️", String(repeating: "x", count: 300)])
  func texts(text: String) throws {
    let writer = ByteWriter()
    writer.text(text)
    writer.blob(Array(text.utf8))
    writer.optional(text) { $0.text($1) }
    writer.optional(String?.none) { $0.text($1) }
    try Self.reading(writer.bytes) { reader in
      let (read, bytes) = (try reader.text(), try reader.blob())
      let present = try reader.optional { (reader) throws(ByteReader.Damage) in try reader.text() }
      let absent = try reader.optional { (reader) throws(ByteReader.Damage) in try reader.text() }
      #expect(read == text)
      #expect(bytes == Array(text.utf8))
      #expect(present == text)
      #expect(absent == nil)
      #expect(reader.isAtEnd)
    }
  }

  @Test("Taking the bytes leaves an empty writer")
  func take() {
    let writer = ByteWriter(reserving: 4)
    writer.byte(7)
    #expect(writer.take() == [7])
    #expect(writer.bytes.isEmpty)
    writer.byte(8)
    writer.removeAll()
    #expect(writer.bytes.isEmpty)
  }

  @Test("Every kind of damage is thrown, with its place")
  func damage() {
    func damage(_ bytes: [UInt8], _ body: (inout ByteReader) throws -> Void) -> Int? {
      do {
        try Self.reading(bytes, body)
        return nil
      } catch {
        return (error as? ByteReader.Damage)?.offset
      }
    }
    #expect(damage([]) { _ = try $0.byte() } == 0)
    #expect(damage([0x80]) { _ = try $0.number() } == 1)
    #expect(damage([UInt8](repeating: 0xFF, count: 11)) { _ = try $0.number() } == 10)
    #expect(damage([UInt8](repeating: 0x80, count: 9) + [2]) { _ = try $0.number() } == 10, "65 bits")
    #expect(damage([UInt8](repeating: 0xFF, count: 9) + [1]) { _ = try $0.number() } == nil, "64 bits")
    #expect(damage([UInt8](repeating: 0xFF, count: 9) + [1]) { _ = try $0.ordinal() } != nil, "no room above")
    #expect(damage([1, 2, 3, 4, 5, 6, 7]) { _ = try $0.fixed() } == 0)
    #expect(damage([2]) { _ = try $0.flag() } == 1)
    #expect(damage([2, 9]) { _ = try $0.blob() } == 1)
    #expect(damage([5]) { _ = try $0.count(atMost: 4) } == 1)
    #expect(damage([2, 0xC3, 0x28]) { _ = try $0.text() } == 3, "no UTF-8")
    #expect(damage([3]) { _ = try $0.optional { (reader) throws(ByteReader.Damage) in try reader.byte() } } == 1)
    #expect(
      damage([1, 1]) { reader in
        _ = try reader.byte()
        try reader.end()
      } == 1)
  }

  @Test("Any bytes give a value or damage, whatever is read from them", arguments: Seeds.usual(200))
  func anyBytes(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let bytes = (0..<Int.random(in: 0...40, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
    Self.reading(bytes) { reader in
      for _ in 0..<40 {
        switch Int.random(in: 0..<6, using: &random) {
        case 0: _ = try? reader.number()
        case 1: _ = try? reader.signed()
        case 2: _ = try? reader.fixed()
        case 3: _ = try? reader.text()
        case 4: _ = try? reader.blob()
        default: _ = try? reader.optional { (reader) throws(ByteReader.Damage) in try reader.ordinal() }
        }
        #expect(reader.position <= bytes.count)
      }
    }
  }
}
