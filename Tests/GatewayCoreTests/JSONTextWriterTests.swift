import Foundation
import GatewayCore
import Testing

/// Protects every answer and event that is written without an encoder: what comes out must be JSON, on one line.
@Suite("JSON text writer") struct JSONTextWriterTests {
  @Test("Commas stand between members and elements, and nowhere else")
  func commas() {
    var writer = JSONTextWriter()
    writer.beginObject()
    writer.key("a")
    writer.integer(1)
    writer.key("b")
    writer.beginArray()
    writer.bool(true)
    writer.bool(false)
    writer.null()
    writer.string("x")
    writer.beginObject()
    writer.endObject()
    writer.beginArray()
    writer.endArray()
    writer.integer(-7)
    writer.endArray()
    writer.key("c")
    writer.string("")
    writer.endObject()
    #expect(text(writer) == #"{"a":1,"b":[true,false,null,"x",{},[],-7],"c":""}"#)
  }

  @Test(
    "A string comes back as it was",
    arguments: [
      "", "plain", "quote \" and \\ back", "line\nbreak\r\ttab", "\u{0}\u{1}\u{F}\u{10}\u{1F}\u{7F}", "ümlaut 漢字 🍵",
      "\u{2028}\u{2029}", "\"", "\\", "ends with \"",
    ])
  func roundTrip(original: String) throws {
    var writer = JSONTextWriter()
    writer.beginArray()
    writer.string(original)
    writer.string(utf8: UnsafeRawBufferPointer(start: nil, count: 0))
    var copy = original
    copy.withUTF8 { writer.string(utf8: UnsafeRawBufferPointer($0)) }
    writer.endArray()
    #expect(try JSONDecoder().decode([String].self, from: Data(writer.bytes)) == [original, "", original])
    #expect(!writer.bytes.contains { $0 < 0x20 })
  }

  @Test("Bytes that are no UTF-8 become U+FFFD")
  func invalidUTF8() throws {
    var writer = JSONTextWriter()
    ([0x61, 0xFF, 0x22] as [UInt8]).withUnsafeBytes { writer.string(utf8: $0) }
    #expect(text(writer) == "\"a\u{FFFD}\\\"\"")
  }

  @Test(
    "Integers of every width are written whole",
    arguments: [
      (Int64.min, "-9223372036854775808"), (Int64.max, "9223372036854775807"), (0, "0"), (10, "10"), (-1, "-1"),
    ])
  func integers(value: Int64, expected: String) {
    var writer = JSONTextWriter()
    writer.integer(value)
    #expect(text(writer) == expected)
  }

  @Test("The largest unsigned and the smallest narrow integer are written whole")
  func otherWidths() {
    var writer = JSONTextWriter()
    writer.integer(UInt64.max)
    writer.integer(Int8.min)
    #expect(text(writer) == "18446744073709551615,-128")
  }

  @Test("Embedded JSON stays on one line and means the same")
  func embedding() throws {
    let payload = "{\r\n\t\"aps\" :\n{\"content-changed\":true},\"t\":\"a\\nb\"}\n"
    var writer = JSONTextWriter()
    writer.beginObject()
    writer.key("payload")
    Array(payload.utf8).withUnsafeBytes { writer.embed($0) }
    writer.key("after")
    writer.null()
    writer.endObject()
    #expect(!writer.bytes.contains(0x0A) && !writer.bytes.contains(0x0D))
    let object = try #require(JSONSerialization.jsonObject(with: Data(writer.bytes)) as? [String: Any])
    #expect((object["payload"] as? [String: Any])?["t"] as? String == "a\nb")
  }

  private func text(_ writer: JSONTextWriter) -> String { String(decoding: writer.bytes, as: UTF8.self) }
}
