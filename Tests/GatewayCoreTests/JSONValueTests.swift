import Foundation
import GatewayCore
import Testing

/// Protects the bodies of the device listener: what is JSON is read as it stands, and what is not is named with its
/// place; no input traps.
@Suite("JSON value") struct JSONValueTests {
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
      ("", 0, .unexpectedEnd), ("  ", 2, .unexpectedEnd), ("{", 1, .unexpectedEnd), (#"{"a""#, 4, .unexpectedEnd),
      (#"{"a" 1}"#, 5, .expectedColon), (#"{"a":}"#, 5, .expectedValue), (#"{"a":1,}"#, 6, .trailingComma),
      (#"{"a":1 "b":2}"#, 7, .expectedCommaOrEnd), (#"{"a":1,"a":2}"#, 7, .repeatedKey),
      (#"{"a":1,"\u0061":2}"#, 7, .repeatedKey), (#"{a:1}"#, 1, .expectedKey), ("[1,]", 2, .trailingComma),
      ("[1 2]", 3, .expectedCommaOrEnd), ("[", 1, .unexpectedEnd), ("01", 0, .badNumber), ("1.", 0, .badNumber),
      ("-", 0, .badNumber), ("1e+x", 0, .badNumber), ("+1", 0, .expectedValue), ("nul", 0, .badLiteral),
      ("True", 0, .expectedValue), ("true false", 5, .trailingContent), (#""abc"#, 4, .unexpectedEnd),
      ("\"a\nb\"", 2, .controlCharacter), ("\"a\u{1}\"", 2, .controlCharacter), (#""\x""#, 1, .badEscape),
      (#""\"#, 2, .unexpectedEnd), (#""\u12g4""#, 1, .badEscape), (#""\ud83c""#, 1, .loneSurrogate),
      (#""\ud83cA""#, 1, .loneSurrogate), (#""\udf75""#, 1, .loneSurrogate), ("\u{FEFF}{}", 0, .byteOrderMark),
      ("'a'", 0, .expectedValue),
    ] as [(String, Int, JSONFault.Kind)])
  func refuses(text: String, offset: Int, kind: JSONFault.Kind) {
    #expect(throws: JSONFault(kind, at: offset)) { try parse(text) }
  }

  @Test("Text that is not UTF-8 is refused where it is none")
  func invalidUTF8() {
    #expect(throws: JSONFault(.notUTF8, at: 2)) { try parse([0x5B, 0x22, 0xC3, 0x28, 0x22, 0x5D]) }
  }

  @Test("Nesting is bounded")
  func depth() throws {
    let most = JSONScanner.maximumDepth
    _ = try parse(String(repeating: "[", count: most) + String(repeating: "]", count: most))
    #expect(throws: JSONFault(.tooDeep, at: most)) { try parse(String(repeating: "[", count: 60_000)) }
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

  private func parse(_ text: [UInt8]) throws -> JSONValue { try text.withUnsafeBytes { try JSONValue(reading: $0) } }
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
