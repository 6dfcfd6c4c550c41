import GatewayCore
import Testing
import TokenStore

/// Protects: each fan-out request is one clear answer, with the reasons of a push.
@Suite("A fan-out's request is judged as a push is") struct FanOutRequestTests {
  private static let id = "0a1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d"
  private static let uuid = CanonicalUUID(high: 0x0A1B_2C3D_4E5F_4A6B, low: 0x8C7D_9E0F_1A2B_3C4D)

  private func route(_ method: String, _ path: String) -> Result<FanOutRoute, Refusal> {
    Array(method.utf8).withUnsafeBytes { method in
      Array(path.utf8).withUnsafeBytes { path in
        Result { () throws(Refusal) in try FanOutRoute.parse(method: method, path: path) }
      }
    }
  }

  private func body(_ text: String, lenient: Bool = false) -> Result<FanOutRequest, Refusal> {
    Array(text.utf8).withUnsafeBytes { bytes in
      Result { () throws(Refusal) in
        try FanOutRequest.parse(bytes, validator: PayloadValidator(strictness: lenient ? .lenient : .strict))
      }
    }
  }

  @Test("Each method and path leads to its route")
  func routes() throws {
    let app = try #require(BundleID("com.example.caffeine"))
    #expect(try route("POST", "/v1/apps/com.example.caffeine/fan-outs").get() == .begin(app))
    #expect(try route("GET", "/v1/fan-outs/\(Self.id)").get() == .report(Self.uuid))
    #expect(try route("DELETE", "/v1/fan-outs/\(Self.id)").get() == .cancel(Self.uuid))
    #expect(try route("GET", "/v1/fan-outs/\(Self.id)/events").get() == .watch(Self.uuid))
  }

  @Test(
    "Every other is a reason of APNs",
    arguments: [
      ("GET", "/v1/apps/com.example.caffeine/fan-outs", RejectionReason.methodNotAllowed),
      ("POST", "/v1/fan-outs/\(id)", .methodNotAllowed), ("POST", "/v1/fan-outs/\(id)/events", .methodNotAllowed),
      ("HEAD", "/v1/fan-outs/\(id)", .methodNotAllowed), ("POST", "/v1/apps/no spaces/fan-outs", .badPath),
      ("POST", "/v1/apps//fan-outs", .badPath), ("GET", "/v1/fan-outs/", .badPath), ("GET", "/v1/fan-outs/7", .badPath),
      ("GET", "/v1/fan-outs/\(id)/", .badPath), ("GET", "/v1/fan-outs", .badPath), ("GET", "/v1/", .badPath),
      ("POST", "/v1/apps/com.example.caffeine/fan-outs/", .badPath), ("POST", "/v1/apps/a/b/c/d/e/f/g", .badPath),
    ])
  func wrongRoutes(method: String, path: String, reason: RejectionReason) {
    #expect(throws: Refusal.self) { try route(method, path).get() }
    if case .failure(let refusal) = route(method, path) {
      #expect(refusal.reason == reason)
      #expect(refusal.detail != nil)
    }
  }

  @Test("An empty object means the usual payload, for every widget")
  func everything() throws {
    let request = try body("{}").get()
    #expect(request.payload == nil)
    #expect(request.filter == FanOutFilter())
    #expect(try body(#"{"payload":{"aps":{"content-changed":true}}}"#).get() == request)
  }

  @Test("Payload and filter are taken as they stand")
  func parts() throws {
    let payload = #"{"aps":{"content-changed":true}, "why":"é"}"#
    let request = try body(
      #"{"platforms":["iOS"],"kinds":["cups","be\u0061ns"],"payload":\#(payload),"families":["systemSmall"]}"#
    ).get()
    #expect(request.payload == Array(payload.utf8))
    #expect(request.filter == FanOutFilter(kinds: ["cups", "beans"], families: [.systemSmall], platforms: [.iOS]))
  }

  @Test(
    "A wrong body says what is wrong",
    arguments: [
      ("", "empty"), ("[]", "object"), ("{", "JSON"), (#"{"kinds":[]}"#, "kinds"), (#"{"kinds":"cups"}"#, "kinds"),
      (#"{"kinds":[1]}"#, "kinds"), (#"{"kinds":[""]}"#, "kinds"), (#"{"families":["systemTiny"]}"#, "systemSmall"),
      (#"{"platforms":["Android"]}"#, "iOS"), (#"{"kind":["cups"]}"#, "unknown key"),
      (#"{"kinds":["a"],"kinds":["b"]}"#, "twice"), (#"{"payload":{}}"#, "payload: "),
      (#"{"payload":true}"#, "payload: "), (#"{"payload":{"aps":{"content-available":1}}}"#, "content-changed"),
      (#"{"kinds":[["a"]]}"#, "kinds"), (#"{}{}"#, "JSON"), (#"{"kinds":["a",]}"#, "JSON"),
    ])
  func wrongBodies(text: String, word: String) {
    guard case .failure(let refusal) = body(text) else {
      Issue.record("\(text) was taken")
      return
    }
    #expect(refusal.reason == .payloadEmpty)
    #expect(refusal.detail?.contains(word) == true, "\(refusal.detail ?? "")")
  }

  @Test("A payload has the size of a push's, and a list its length")
  func limits() throws {
    func payload(of bytes: Int) -> String {
      let frame = #"{"aps":{"content-changed":true},"x":""}"#
      return frame.replacing(#""x":"""#, with: "\"x\":\"\(String(repeating: "x", count: bytes - frame.utf8.count))\"")
    }
    #expect(try body("{\"payload\":\(payload(of: 4096))}").get().payload?.count == 4096)
    guard case .failure(let refusal) = body("{\"payload\":\(payload(of: 4097))}") else {
      Issue.record("a payload of 4097 bytes was taken")
      return
    }
    #expect(refusal.reason == .payloadTooLarge)
    func kinds(_ count: Int) -> String { "{\"kinds\":[\((0..<count).map { "\"k\($0)\"" }.joined(separator: ","))]}" }
    #expect(try body(kinds(64)).get().filter.kinds?.count == 64)
    #expect(throws: Refusal.self) { try body(kinds(65)).get() }
  }

  @Test("Lenient checks take a payload without the key, and say so")
  func lenient() throws {
    let request = try body(#"{"payload":{"aps":{}}}"#, lenient: true).get()
    #expect(request.objection != nil)
    #expect(request.payload == Array(#"{"aps":{}}"#.utf8))
  }
}
