import BudgetThrottle
import GatewayCore
import HTTPMessage
import Testing
import TokenStore

/// One thing that can be wrong with a push, and where in the order of checks it is found.
struct PushDefect: Sendable, CustomTestStringConvertible {
  /// The checks of design §5 that a request alone decides, in their order.
  enum Step: Int, Comparable, Sendable {
    case method, path, credential, tokenRate, duplicates, id, expiration, priority, collapseID, pushType, topic, grant
    case typeAgainstTopic, payload, token

    static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
  }

  let name: String
  let step: Step
  let reason: RejectionReason
  let apply: @Sendable (inout PushRequestFixture) -> Void

  var testDescription: String { name }

  private static func field(
    _ name: String, _ value: String?, _ step: Step, _ reason: RejectionReason
  ) -> PushDefect {
    PushDefect(name: "\(name): \(value ?? "absent")", step: step, reason: reason) { $0.set(name, to: value) }
  }

  private static func payload(_ body: String, _ reason: RejectionReason = .payloadEmpty) -> PushDefect {
    PushDefect(name: "body: \(body.prefix(40))", step: .payload, reason: reason) { $0.payload = body }
  }

  static let all: [PushDefect] =
    ["GET", "PUT", "post", "CONNECT"].map { field(":method", $0, .method, .methodNotAllowed) }
    + [
      nil, "", "/", "/3/device", "/3/devices/00", "/4/device/00", "/3/device/00/", "/3/device/00?x=1", "/3/device//",
      "/3/device/zz/00", "/v1/apps/com.example.caffeine/fan-outs", "3/device/00", "*",
    ].map { field(":path", $0, .path, .badPath) }
    + [
      field("authorization", nil, .credential, .missingProviderToken),
      field("authorization", "bearer ", .credential, .missingProviderToken),
      field("authorization", "bearer x.y.z", .credential, .invalidProviderToken),
      field("authorization", "bearer " + JWT(signedBy: 3).text, .credential, .invalidProviderToken),
      field(
        "authorization", "bearer " + JWT(claims: #"{"iss":"TEAM000001","iat":1699990000}"#).text, .credential,
        .expiredProviderToken),
      PushDefect(name: "a new provider token too early", step: .tokenRate, reason: .tooManyProviderTokenUpdates) {
        $0.earlierToken = "bearer " + JWT(claims: #"{"iss":"TEAM000001","iat":1699999999}"#).text
      },
    ]
    + [
      "authorization", "apns-id", "apns-expiration", "apns-priority", "apns-collapse-id", "apns-push-type",
      "apns-topic",
    ]
    .map { name in
      PushDefect(name: "\(name) twice", step: .duplicates, reason: .duplicateHeaders) { $0.repeatField(name) }
    }
    + [
      "", "1", "123e4567e89b12d3a4564266554400a0", "123e4567-e89b-12d3-a456-4266554400a",
      "{123e4567-e89b-12d3-a456-426655440}",
      "123e4567-e89b-12d3-a456-4266554400ag", "123e4567-e89b-12d3-a456-4266554400a00",
      "123e456-7e89b-12d3-a456-4266554400a0",
    ].map { field("apns-id", $0, .id, .badMessageID) }
    + ["", "-1", "1.5", "1700003600000", "tomorrow", "+1", " 1", "0x10", "99999999999999999999999999", "-", "."]
    .map { field("apns-expiration", $0, .expiration, .badExpirationDate) }
    + ["", "0", "2", "11", "010", "high", "-5", "5.0"].map { field("apns-priority", $0, .priority, .badPriority) }
    + [
      field("apns-collapse-id", String(repeating: "x", count: 65), .collapseID, .badCollapseID),
      field("apns-collapse-id", String(repeating: "ä", count: 33), .collapseID, .badCollapseID),
    ]
    + ["", "widget", "Widgets", "WIDGETS", "widgets ", String(repeating: "w", count: 4000)].map {
      field("apns-push-type", $0, .pushType, .invalidPushType)
    }
    + [field("apns-topic", nil, .topic, .missingTopic), field("apns-topic", "", .topic, .missingTopic)]
    + [
      "com.example.caffeine", ".push-type.widgets", "push-type.widgets", "com.example.caffeine.push-type.widget",
      "com.example.caffeine.voip", "com.example.caffeine.push-type.Widgets", "com..caffeine.push-type.widgets",
      "com.example caffeine.push-type.widgets", "cöm.example.push-type.widgets",
      String(repeating: "x", count: 156) + ".push-type.widgets", String(repeating: "x", count: 5000),
    ].map { field("apns-topic", $0, .topic, .badTopic) }
    + ["org.example.caffeine", "com.example", "com.examples.caffeine"].map {
      field("apns-topic", $0 + ".push-type.widgets", .grant, .topicDisallowed)
    }
    + ([nil] + PushType.allCases.filter { $0 != .widgets }.map(\.rawValue)).map {
      field("apns-push-type", $0, .typeAgainstTopic, .invalidPushType)
    }
    + [
      payload(""), payload("{}"), payload("not JSON"), payload(#"{"aps":{"content-available":1}}"#), payload("[]"),
      payload(String(repeating: " ", count: 4097), .payloadTooLarge),
    ]
    + [
      ("", RejectionReason.missingDeviceToken), ("x", .badDeviceToken), ("0", .badDeviceToken),
      ("0f0", .badDeviceToken),
      ("0g", .badDeviceToken), ("%30%66", .badDeviceToken), (String(repeating: "ab", count: 101), .badDeviceToken),
    ].map { field(":path", "/3/device/" + $0.0, .token, $0.1) }
}

/// Protects the order of checks: clients, and people who search a fault, rely on the first failure being the answer.
@Suite("Push validator") struct PushValidatorTests {
  @Test("The push of Apple's sample, with every header, is accepted as it stands")
  func valid() throws {
    let verdict = try PushRequestFixture().judge().get()
    #expect(verdict.head.id?.description == "123e4567-e89b-12d3-a456-4266554400a0")
    #expect(verdict.head.expiration == .date(UnixTime(seconds: 1_700_003_600)))
    #expect(verdict.head.priority == .grouped)
    #expect(verdict.head.hasCollapseID)
    #expect(verdict.head.type == .widgets)
    #expect(verdict.head.bundleID == BundleID("com.example.caffeine"))
    #expect(verdict.token.bytes == Array(repeating: 0x0F, count: 32))
    #expect(verdict.payload.isUsual)
  }

  @Test("Headers that Apple's sample leaves out have their defaults")
  func defaults() throws {
    var request = PushRequestFixture()
    for name in ["apns-id", "apns-expiration", "apns-priority", "apns-collapse-id", "content-type", "host"] {
      request.set(name, to: nil)
    }
    let head = try request.judge().get().head
    #expect(head.id == nil)
    #expect(head.expiration == PushExpiration.none)
    #expect(head.priority == .immediate)
    #expect(!head.hasCollapseID)
  }

  @Test(
    "Values at the edge of what is allowed pass",
    arguments: [
      ("apns-id", "123E4567-E89B-12D3-A456-4266554400A0"), ("apns-id", "00000000-0000-0000-0000-000000000000"),
      ("apns-expiration", "0"), ("apns-expiration", "1"), ("apns-expiration", "99999999999"),
      ("apns-expiration", "0000000000000000000000001"), ("apns-priority", "1"), ("apns-priority", "10"),
      ("apns-collapse-id", String(repeating: "x", count: 64)), ("apns-collapse-id", ""),
      ("apns-topic", "com.example.a.push-type.widgets"), ("apns-topic", "com.example.x-y.Z9.push-type.widgets"),
      (":path", "/3/device/0F"), (":path", "/3/device/" + String(repeating: "aB", count: 100)),
      ("authorization", "Bearer " + JWT(alphabet: .standardPadded).text),
    ])
  func edges(name: String, value: String) {
    var request = PushRequestFixture()
    request.set(name, to: value)
    #expect(throws: Never.self) { try request.judge().get() }
  }

  @Test(
    "An apns-id keeps its spelling, also a mixed one",
    arguments: [
      "123e4567-e89b-12d3-a456-4266554400af", "123E4567-E89B-12D3-A456-4266554400AF",
      "ABCDEFab-cdef-ABCD-abcd-aAbBcCdDeEfF", "00000000-0000-0000-0000-000000000000",
    ])
  func spelling(id: String) throws {
    var request = PushRequestFixture()
    request.set("apns-id", to: id)
    #expect(try request.judge().get().head.id?.description == id)
  }

  @Test("Expiration 0 means one try now")
  func neverStored() throws {
    var request = PushRequestFixture()
    request.set("apns-expiration", to: "0")
    #expect(try request.judge().get().head.expiration == .neverStored)
  }

  @Test("Each defect alone is answered with its reason and a detail", arguments: PushDefect.all)
  func single(defect: PushDefect) throws {
    var request = PushRequestFixture()
    defect.apply(&request)
    guard case .failure(let refusal) = request.judge() else {
      Issue.record("accepted")
      return
    }
    #expect(refusal.reason == defect.reason)
    #expect(try #require(refusal.detail).hasSuffix("."))
    #expect(refusal.body.count < 300)
  }

  @Test("Of any two defects the one that is checked earlier is the answer", arguments: PushDefect.all.indices)
  func pairs(index: Int) {
    let first = PushDefect.all[index]
    var pairs = 0
    for (other, second) in PushDefect.all.enumerated() where first.step < second.step {
      // Two that set the same thing cannot be in one request, nor can a refused token and one that comes too early.
      guard PushDefect.touched[index].isDisjoint(with: PushDefect.touched[other]) else { continue }
      guard !(first.step == .credential && second.step == .tokenRate) else { continue }
      var request = PushRequestFixture()
      first.apply(&request)
      second.apply(&request)
      pairs += 1
      guard case .failure(let refusal) = request.judge() else {
        Issue.record("accepted: \(first.name) and \(second.name)")
        continue
      }
      if refusal.reason != first.reason { Issue.record("\(refusal.reason): \(first.name) and \(second.name)") }
    }
    #expect(pairs > 0 || first.step == .token)
  }

  @Test("Every step of the order is broken by some defect")
  func steps() {
    #expect(Set(PushDefect.all.map(\.step)).count == 15)
  }

  @Test("With lenient push types, absent and the general ones pass with a widgets topic, the others do not")
  func lenientPushType() throws {
    var request = PushRequestFixture()
    request.checks.pushType = .lenient
    for type in [nil, "alert", "background", "widgets"] {
      request.set("apns-push-type", to: type)
      #expect(try request.judge().get().head.type == type.flatMap(PushType.init(rawValue:)))
    }
    for type in PushType.allCases where ![.alert, .background, .widgets].contains(type) {
      request.set("apns-push-type", to: type.rawValue)
      #expect(throws: Refusal.self) { try request.judge().get() }
    }
  }

  @Test("With lenient payloads the objection comes along for the log")
  func lenientPayload() throws {
    var request = PushRequestFixture()
    request.checks.payload = .lenient
    request.payload = #"{"aps":{"content-available":1}}"#
    #expect(try request.judge().get().payload.objection == .contentAvailable)
  }

  @Test("A refusal for an unknown push type quotes nothing that the client sent")
  func noEcho() {
    var request = PushRequestFixture()
    request.set("apns-push-type", to: "secret-looking-value")
    guard case .failure(let refusal) = request.judge() else {
      Issue.record("accepted")
      return
    }
    #expect(refusal.detail?.contains("secret") == false)
  }
}

extension PushDefect {
  /// For each defect of ``all``, the parts of a request that it changes.
  fileprivate static let touched: [Set<String>] = all.map { defect in
    let original = PushRequestFixture()
    var broken = original
    defect.apply(&broken)
    func values(_ name: String, in request: PushRequestFixture) -> [String] {
      request.fields.filter { $0.name == name }.map(\.value)
    }
    let names = Set((broken.fields + original.fields).map(\.name))
    let changed = names.filter { values($0, in: broken) != values($0, in: original) }
    return broken.payload == original.payload ? changed : changed.union(["body"])
  }
}
