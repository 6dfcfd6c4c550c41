import Foundation
import GatewayCore
import SeededRandom
import Testing

/// Protects against a parser that traps, reads past its bytes or disagrees with the JSON that everyone else reads.
/// Set GATEWAY_FUZZ_ROUNDS and GATEWAY_FUZZ_SEED for a longer hunt than the one of every test run.
@Suite("JSON fuzzing") struct JSONFuzzTests {
  private static let corpus: [String] = [
    #"{"aps":{"content-changed":true}}"#,
    #"{"aps":{"content-changed":true,"content-changed":false},"aps":{"content-changed":true}}"#,
    #"{"a\u0070s":{"content-changed":true},"name":"espresso","n":[1,-0.5e+3,{"deep":[[],{}]}]}"#,
    #"{"aps":{"content-available":1},"t":"ä€😀\ud83d\ude00\"\\\/\b\f\n\r\t","x":[null,true,false,0,-0,1E9]}"#,
    #"[{"k":[1,2,3]},"abcdefghijklmnopqrstuvwxyz",12.5e-3,[[[[]]]]]"#,
  ]
  private static let fragments: [String] = [
    ",", ":", "{", "}", "[", "]", "\"", "\\", "\\u", "\\ud800", "\\udc00", "true", "false", "null", "0", "-", ".", "e",
    "1", " ", "\n", "\u{FEFF}", "\"aps\"", "\"content-changed\"", "{}", "[]", "é", "😀",
  ]

  private static func mutate(_ bytes: inout [UInt8], with random: inout SeededGenerator) {
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      let place = Int.random(in: 0...bytes.count, using: &random)
      switch Int.random(in: 0..<6, using: &random) {
      case 0 where place < bytes.count: bytes[place] = UInt8.random(in: 1...255, using: &random)
      case 1 where place < bytes.count: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      case 2 where place < bytes.count: bytes.remove(at: place)
      case 3: bytes.removeSubrange(place...)
      case 4:
        let other = Array((corpus.randomElement(using: &random) ?? "").utf8)
        bytes.insert(contentsOf: other.prefix(Int.random(in: 0...other.count, using: &random)), at: place)
      default: bytes.insert(contentsOf: Array((fragments.randomElement(using: &random) ?? "").utf8), at: place)
      }
    }
  }

  private enum Reading { case refused(JSONFault), other, contentChanged }

  private static func ours(_ bytes: [UInt8]) -> Reading {
    bytes.withUnsafeBytes { body in
      do throws(PayloadFault) {
        _ = try PayloadValidator(strictness: .strict).validate(body)
        return .contentChanged
      } catch {
        if case .notJSON(let fault) = error { return .refused(fault) }
        return .other
      }
    }
  }

  private static func theirs(_ bytes: [UInt8]) -> Any? {
    try? JSONSerialization.jsonObject(with: Data(bytes), options: [.fragmentsAllowed])
  }

  private static func saysContentChanged(_ value: Any) -> Bool {
    guard let aps = (value as? [String: Any])?["aps"] as? [String: Any], let flag = aps["content-changed"] else {
      return false
    }
    guard let number = flag as? NSNumber else { return false }
    return String(cString: number.objCType) == "c" && number.boolValue
  }

  @Test("Mutated payloads are read as Foundation reads them, its known liberties aside")
  func againstFoundation() {
    let environment = ProcessInfo.processInfo.environment
    let rounds = environment["GATEWAY_FUZZ_ROUNDS"].flatMap(Int.init) ?? 5_000
    var random = SeededGenerator(seed: environment["GATEWAY_FUZZ_SEED"].flatMap(UInt64.init) ?? 2_718_281_828)
    var accepted = 0
    for round in 0..<rounds {
      var bytes = Array((Self.corpus.randomElement(using: &random) ?? "").utf8)
      Self.mutate(&bytes, with: &random)
      // A zero byte makes Foundation guess UTF-16; an empty or long body is judged before its JSON is.
      guard !bytes.contains(0), (1...4096).contains(bytes.count) else { continue }
      let reading = Self.ours(bytes)
      let value = Self.theirs(bytes)
      let text = String(decoding: bytes, as: UTF8.self)
      switch reading {
      case .refused(let fault):
        #expect(fault.offset <= bytes.count)
        // Foundation takes a trailing comma and a byte order mark, and nests deeper.
        if let value, ![.trailingComma, .byteOrderMark, .tooDeep].contains(fault.kind) {
          Issue.record("round \(round): refused (\(fault)), Foundation read \(value) from \(text)")
        }
      case .other, .contentChanged:
        accepted += 1
        guard let value else {
          // Foundation refuses numbers beyond a Double, which are JSON all the same.
          if !text.contains(/[0-9][eE]\+?[0-9]{3,}|[0-9]{300,}/) {
            Issue.record("round \(round): accepted, Foundation refused \(text)")
          }
          continue
        }
        var isTrue = false
        if case .contentChanged = reading { isTrue = true }
        // Foundation drops U+FEFF at the start of a text, and so takes another key for `aps`.
        if Self.saysContentChanged(value) != isTrue, !text.unicodeScalars.contains("\u{FEFF}") {
          Issue.record("round \(round): content-changed is \(isTrue), Foundation disagrees on \(text)")
        }
      }
    }
    #expect(accepted > rounds / 50, "the mutations leave too little that is valid to prove anything")
  }

  @Test("Random bytes as provider tokens are refused, never trapped on")
  func providerTokens() {
    var random = SeededGenerator(seed: 31_415)
    let seedText = "eyJhbGciOiJFUzI1NiIsImtpZCI6IkFCQ0RFRkdISUoifQ.eyJpc3MiOiJURUFNIiwiaWF0IjoxNzAwMDAwMDAwfQ.AAAA"
    for _ in 0..<5_000 {
      var bytes = Array(seedText.utf8)
      Self.mutate(&bytes, with: &random)
      bytes.withUnsafeBytes { text in
        if let token = try? ProviderToken(text) { #expect(token.signingInput.upperBound < text.count) }
      }
    }
  }
}
