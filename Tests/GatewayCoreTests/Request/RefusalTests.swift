import Foundation
import GatewayCore
import Testing
import TokenStore

/// Protects what a refused sender reads: clients with fixed lists of reasons and small buffers depend on it.
@Suite("Refusal") struct RefusalTests {
  private func text(_ refusal: Refusal) -> String { String(decoding: refusal.body, as: UTF8.self) }

  @Test("A bare reason is the body that APNs sends, byte for byte")
  func bareReason() {
    #expect(text(Refusal(.badDeviceToken)) == #"{"reason":"BadDeviceToken"}"#)
  }

  @Test("A detail follows the reason")
  func detail() {
    #expect(
      text(Refusal(.missingTopic, "Send a topic.")) == #"{"reason":"MissingTopic","detail":"Send a topic."}"#)
  }

  @Test("A 410 carries its timestamp as an integer of milliseconds, right after the reason")
  func timestamp() {
    let refusal = Refusal.unregistered(at: UnixTime(milliseconds: 1_454_948_015_990), "Gone.")
    #expect(text(refusal) == #"{"reason":"Unregistered","timestamp":1454948015990,"detail":"Gone."}"#)
    #expect(text(.expiredToken(at: UnixTime(milliseconds: 0))) == #"{"reason":"ExpiredToken","timestamp":0}"#)
    #expect(
      text(.unregistered(at: UnixTime(milliseconds: .min)))
        == #"{"reason":"Unregistered","timestamp":-9223372036854775808}"#)
  }

  @Test(
    "Whatever a detail holds, the body is valid JSON that reads back the same",
    arguments: ["", "\"", "\\", "\u{0}\u{1}\n\r\t\u{1F}\u{7F}\u{9B}", "ä€😀\u{2028}", "</script>", #"\u0041"#])
  func escapes(detail: String) throws {
    let object = try JSONSerialization.jsonObject(with: Data(Refusal(.badTopic, detail).body)) as? [String: String]
    #expect(object == ["reason": "BadTopic", "detail": detail])
    #expect(!Refusal(.badTopic, detail).body.contains { $0 < 0x20 || $0 == 0x7F })
  }

  @Test(
    "A long detail is cut at a character, and the body never exceeds 512 bytes",
    arguments: ["x", "ä", "€", "😀", "\"", "\u{1}"], 460...520)
  func length(unit: String, count: Int) throws {
    let detail = String(repeating: unit, count: count)
    let body = Refusal(.tooManyProviderTokenUpdates, detail).body
    #expect(body.count <= Refusal.maximumBodyBytes)
    let object = try #require(try JSONSerialization.jsonObject(with: Data(body)) as? [String: String])
    let read = try #require(object["detail"])
    #expect(read == detail || (read.hasSuffix("…") && detail.hasPrefix(read.dropLast()) && body.count > 495))
  }

  @Test("The longest detail that fits is not cut")
  func exactFit() throws {
    let empty = Refusal(.shutdown, "").body.count
    let fitting = String(repeating: "x", count: Refusal.maximumBodyBytes - empty)
    #expect(Refusal(.shutdown, fitting).body.count == Refusal.maximumBodyBytes)
    #expect(text(Refusal(.shutdown, fitting)).contains(fitting))
    #expect(text(Refusal(.shutdown, fitting + "x")).hasSuffix("x…\"}"))
  }

  @Test("A body array is used again without growing past what it holds")
  func reuse() {
    var body = Array("old content that is much longer than what follows, far longer than it".utf8)
    Refusal(.badPath).writeBody(into: &body)
    #expect(body == Array(#"{"reason":"BadPath"}"#.utf8))
  }

  @Test("Only 410 reasons have a timestamp, and each has a way to be made", arguments: RejectionReason.allCases)
  func statuses(reason: RejectionReason) {
    let refusal: Refusal
    switch reason {
    case .unregistered: refusal = .unregistered(at: UnixTime(seconds: 1))
    case .expiredToken: refusal = .expiredToken(at: UnixTime(seconds: 1))
    default: refusal = Refusal(reason)
    }
    #expect(refusal.reason == reason)
    #expect((refusal.timestamp != nil) == (reason.status == 410))
  }
}
