import Foundation
import GatewayCore
import Testing

/// Protects the bodies of the device listener: what is JSON is read as it stands, and what is not is named with its
/// place; no input traps.
@Suite("JSON parser") struct JSONParserTests {
  @Test(
    "What is JSON is read as it stands",
    arguments: [
      ("null", .null), (" true\n", .bool(true)), ("false", .bool(false)), ("-0.5e+10", .number("-0.5e+10")),
      ("0", .number("0")), ("[]", .array([])), ("{}", .object([])), ("[1,\t[ ] ]", .array([.number("1"), .array([])])),
      (#""a\"\\\/\b\f\n\r\t\u0041\ud83c\udf75é""#, .string("a\"\\/\u{8}\u{C}\n\r\tA🍵é")),
      (
        #"{"b":1,"a":{"c":null}}"#,
        .object([
          .init(key: "b", value: .number("1")), .init(key: "a", value: .object([.init(key: "c", value: .null)])),
        ])
      ),
    ] as [(String, JSONValue)])
  func reads(text: String, expected: JSONValue) throws { #expect(try parse(text) == expected) }

  @Test(
    "What is not JSON is named, with the byte where it goes wrong",
    arguments: [
      ("", 0, "the text ends where a value should stand"),
      ("  ", 2, "the text ends where a value should stand"),
      ("{", 1, "the end of the text where a key in quotation marks should stand"),
      (#"{"a""#, 4, "the end of the text where a colon should stand"),
      (#"{"a" 1}"#, 5, "'1' where a colon should stand"),
      (#"{"a":}"#, 5, "'}' where a value should stand"),
      (#"{"a":1,}"#, 7, "a comma before the object's end"),
      (#"{"a":1 "b":2}"#, 7, "'\"' where a comma or the object's end should stand"),
      (#"{"a":1,"a":2}"#, 7, "the key \"a\" comes twice"),
      (#"{a:1}"#, 1, "'a' where a key in quotation marks should stand"),
      ("[1,]", 3, "a comma before the array's end"),
      ("[1 2]", 3, "'2' where a comma or the array's end should stand"),
      ("[", 1, "the text ends where a value should stand"),
      ("01", 0, "a number that begins with 0"),
      ("1.", 2, "the end of the text where a digit should stand"),
      ("-", 1, "the end of the text where a digit should stand"),
      ("1e+x", 3, "'x' where a digit should stand"),
      ("+1", 0, "'+' where a value should stand"),
      ("nul", 0, "a word that is not true, false or null"),
      ("True", 0, "'T' where a value should stand"),
      ("true false", 5, "more text after the end of the value"),
      (#""abc"#, 0, "the text that begins here has no end"),
      ("\"a\nb\"", 2, "a line break within text, where it must be escaped"),
      ("\"a\u{1}\"", 2, "the byte 0x1 within text, where it must be escaped"),
      (#""\x""#, 1, "an escape that JSON does not know"),
      (#""\"#, 1, "an escape without its letter"),
      (#""\u12g4""#, 1, "\\u without four hex digits"),
      (#""\ud83c""#, 1, "half of a surrogate pair"),
      (#""\ud83cA""#, 1, "half of a surrogate pair"),
      (#""\udf75""#, 1, "half of a surrogate pair"),
      ("\u{FEFF}{}", 0, "the byte 0xEF where a value should stand"),
      ("'a'", 0, "''' where a value should stand"),
    ])
  func refuses(text: String, offset: Int, problem: String) {
    #expect(throws: JSONSyntaxError(offset: offset, problem: problem)) { try parse(text) }
  }

  @Test("Text that is not UTF-8 is refused where it begins")
  func invalidUTF8() {
    #expect(throws: JSONSyntaxError(offset: 1, problem: "the text that begins here is not UTF-8")) {
      try parse([0x5B, 0x22, 0xC3, 0x28, 0x22, 0x5D])
    }
  }

  @Test("Nesting is bounded")
  func depth() throws {
    let most = JSONParser.maximumDepth
    _ = try parse(String(repeating: "[", count: most) + String(repeating: "]", count: most))
    #expect(throws: JSONSyntaxError(offset: most, problem: "more than \(most) levels deep")) {
      try parse(String(repeating: "[", count: 60_000))
    }
  }

  @Test("Thousands of garbled bodies are judged as Foundation judges them, where it is strict")
  func garbled() throws {
    let original = Array(
      #"{"environment":"development","token":null,"widgets":[{"kind":"k\u00e9\n","family":"systemSmall"},-1.5e3]}"#.utf8
    )
    var random = SplitMix(state: 20_260_301)
    var (accepted, refused) = (0, 0)
    for _ in 0..<20_000 {
      var text = original
      for _ in 0..<Int.random(in: 1...3, using: &random) where !text.isEmpty {
        let index = Int.random(in: 0..<text.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: text[index] = UInt8.random(in: .min ... .max, using: &random)
        case 1: text.remove(at: index)
        case 2: text.insert(original[Int.random(in: 0..<original.count, using: &random)], at: index)
        default: text = Array(text[..<index])
        }
      }
      if (try? parse(text)) != nil {
        accepted += 1
        let foundation = try? JSONSerialization.jsonObject(with: Data(text), options: .fragmentsAllowed)
        guard foundation != nil else {
          Issue.record("accepted, and Foundation refuses: \(String(decoding: text, as: UTF8.self))")
          return
        }
      } else {
        refused += 1
      }
    }
    #expect(accepted > 100 && refused > 1000)
  }

  private func parse(_ text: String) throws -> JSONValue { try parse(Array(text.utf8)) }

  private func parse(_ text: [UInt8]) throws -> JSONValue { try text.withUnsafeBytes { try JSONParser.parse($0) } }
}

/// The same numbers in every run.
private struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
    return word ^ (word >> 31)
  }
}
