import Testing
import TokenStore

/// Protects the reading of hex eight digits at a time: every byte that is no digit has to be seen in every place.
@Suite("Hex reading") struct HexReadingTests {
  private static let digits = Set("0123456789abcdefABCDEF".utf8)

  private func token(_ text: [UInt8]) -> DeviceToken? { text.withUnsafeBytes { DeviceToken(hex: $0) } }
  private func uuid(_ text: [UInt8]) -> CanonicalUUID? { text.withUnsafeBytes { CanonicalUUID($0) } }

  @Test("In every place of a device token exactly the 22 digits are taken", arguments: [2, 6, 8, 10, 64, 66, 72, 200])
  func tokens(length: Int) {
    for place in 0..<length {
      for byte in UInt8.min...UInt8.max {
        var text = Array(repeating: UInt8(ascii: "9"), count: length)
        text[place] = byte
        let read = token(text)
        guard (read != nil) == Self.digits.contains(byte) else {
          Issue.record("byte \(byte) at \(place)")
          return
        }
        if let read {
          let lower = byte >= 0x41 && byte <= 0x46 ? byte | 0x20 : byte
          text[place] = lower
          if Array(read.description.utf8) != text { Issue.record("byte \(byte) at \(place) reads as \(read)") }
        }
      }
    }
  }

  @Test("In every place of a UUID exactly the right bytes are taken, and come back as they were")
  func uuids() {
    let hyphens: Set<Int> = [8, 13, 18, 23]
    for filling in [UInt8(ascii: "0"), UInt8(ascii: "a"), UInt8(ascii: "F")] {
      for place in 0..<36 {
        for byte in UInt8.min...UInt8.max {
          var text = (0..<36).map { hyphens.contains($0) ? UInt8(ascii: "-") : filling }
          text[place] = byte
          let isRight = hyphens.contains(place) ? byte == UInt8(ascii: "-") : Self.digits.contains(byte)
          let read = uuid(text)
          guard (read != nil) == isRight else {
            Issue.record("byte \(byte) at \(place)")
            return
          }
          if let read, Array(read.description.utf8) != text {
            Issue.record("byte \(byte) at \(place) comes back as \(read)")
          }
        }
      }
    }
  }

  @Test("Every byte has its value, in every place of a word, in either case")
  func values() {
    for value in UInt8.min...UInt8.max {
      let lower = String(value, radix: 16)
      let text = (lower.count == 1 ? "0" : "") + lower
      for place in 0..<5 {
        var bytes: [UInt8] = [0, 0, 0, 0, 0]
        bytes[place] = value
        let hex = (0..<5).map { $0 == place ? text : "00" }.joined()
        #expect(DeviceToken(hex: hex)?.bytes == bytes)
        #expect(DeviceToken(hex: hex.uppercased())?.bytes == bytes)
      }
    }
    #expect(
      CanonicalUUID("01234567-89ab-cdef-FEDC-BA9876543210")
        == CanonicalUUID(high: 0x0123_4567_89AB_CDEF, low: 0xFEDC_BA98_7654_3210))
  }
}
