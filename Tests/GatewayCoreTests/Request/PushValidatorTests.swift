import BudgetThrottle
import GatewayCore
import HTTPMessage
import Testing
import TokenStore

/// One thing that can be wrong with a push, and where in the order of checks it is found.
struct PushDefect: Sendable, CustomTestStringConvertible {
  /// The checks of design §5, in their order.
  enum Step: Int, CaseIterable, Comparable, Sendable {
    case method, path, credential, tokenRate, duplicates, id, expiration, priority, collapseID, pushType, topic, grant
    case typeAgainstTopic, payload, token, tokenKnown, unregistered, tokenForTopic, flood

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
      field("authorization", "Basic dXNlcjpwYXNz", .credential, .invalidProviderToken),
      field(
        "authorization", "bearer " + JWT(header: #"{"alg":"ES512","kid":"ABCDEFGHIJ"}"#).text, .credential,
        .invalidProviderToken),
      field(
        "authorization", "bearer " + JWT(claims: #"{"iss":"TEAM000001","iat":1699990000}"#).text, .credential,
        .expiredProviderToken),
      field(
        "authorization", "bearer " + JWT(claims: #"{"iss":"TEAM000001","iat":1700000101}"#).text, .credential,
        .invalidProviderToken),
      field(
        "authorization", "bearer " + JWT(claims: #"{"iss":"TEAM000009","iat":1700000000}"#).text, .credential,
        .invalidProviderToken),
      field(
        "authorization", "bearer " + JWT(header: #"{"alg":"ES256","kid":"PRODUCTION"}"#, signedBy: 1).text,
        .credential, .badEnvironmentKeyIDInToken),
      PushDefect(name: "a key unrelated to the connection's first", step: .credential, reason: .unrelatedKeyIDInToken) {
        $0.earlierToken = "bearer " + JWT(header: #"{"alg":"ES256","kid":"ONETOPIC01"}"#, signedBy: 2).text
      },
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
      field("apns-collapse-id", "x" + String(repeating: "ä", count: 32), .collapseID, .badCollapseID),
      field("apns-collapse-id", String(repeating: "☕", count: 22), .collapseID, .badCollapseID),
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
    + [
      field(":path", "/3/device/" + String(repeating: "ab", count: 32), .tokenKnown, .badDeviceToken),
      PushDefect(name: "the app was removed", step: .unregistered, reason: .unregistered) { $0.isRemoved = true },
      field("apns-topic", "com.example.water.push-type.widgets", .tokenForTopic, .deviceTokenNotForTopic),
      PushDefect(name: "the third push in a minute", step: .flood, reason: .tooManyRequests) { $0.earlierPushes = 2 },
    ]
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
      ("apns-collapse-id", String(repeating: "ä", count: 32)), ("apns-collapse-id", String(repeating: "☕", count: 21)),
      ("apns-expiration", "00"), ("apns-expiration", "1600000000"), ("host", "gateway.example:2197"),
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

  @Test("A token is 1 to 100 bytes, written as 2 to 200 digits of either case, and means the same in both")
  func tokenLengths() throws {
    for count in 1...100 {
      let bytes = (0..<count).map { UInt8(truncatingIfNeeded: 0xA0 + $0) }
      let lower = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
      for text in [lower, lower.uppercased()] {
        var request = PushRequestFixture()
        request.set(":path", to: "/3/device/" + text)
        #expect(try request.judge().get().token.bytes == bytes)
        request.set(":path", to: "/3/device/" + text.dropLast())
        guard case .failure(let refusal) = request.judge() else {
          Issue.record("\(text.count - 1) digits were accepted")
          continue
        }
        #expect(refusal.reason == .badDeviceToken)
      }
    }
  }

  @Test(
    "Each of Apple's eleven push types is known; with its own topic only widgets passes", arguments: PushType.allCases)
  func typesWithTheirTopics(type: PushType) throws {
    var request = PushRequestFixture()
    request.set("apns-push-type", to: type.rawValue)
    request.set("apns-topic", to: "com.example.caffeine\(type.topicSuffix)")
    guard type != .widgets else {
      #expect(throws: Never.self) { try request.judge().get() }
      return
    }
    guard case .failure(let refusal) = request.judge() else {
      Issue.record("accepted")
      return
    }
    #expect(refusal.reason == .badTopic)
    let detail = try #require(refusal.detail)
    #expect(detail.contains(".push-type.widgets"))
    if type.topicSuffix.utf8CodeUnitCount > 0 { #expect(detail.contains(" \(type.rawValue) pushes")) }
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
    guard case .failure(let refusal) = try request.judgeWhole() else {
      Issue.record("accepted")
      return
    }
    #expect(refusal.reason == defect.reason)
    let detail = try #require(refusal.detail)
    #expect(detail.hasSuffix(".") && !detail.dropLast().contains(". "), "one sentence")
    #expect(refusal.body.count < 300)
  }

  @Test("Of any two defects the one that is checked earlier is the answer", arguments: PushDefect.all.indices)
  func pairs(index: Int) throws {
    let first = PushDefect.all[index]
    var pairs = 0
    for (other, second) in PushDefect.all.enumerated() where first.step < second.step {
      // Two that set the same thing cannot be in one request.
      guard PushDefect.touched[index].isDisjoint(with: PushDefect.touched[other]) else { continue }
      var request = PushRequestFixture()
      first.apply(&request)
      second.apply(&request)
      pairs += 1
      guard case .failure(let refusal) = try request.judgeWhole() else {
        Issue.record("accepted: \(first.name) and \(second.name)")
        continue
      }
      if refusal.reason != first.reason { Issue.record("\(refusal.reason): \(first.name) and \(second.name)") }
    }
    #expect(pairs > 0 || first.step == .flood)
  }

  @Test("Every step of the order is broken by some defect, and every two steps by some pair that can be in one request")
  func steps() {
    struct Pair: Hashable {
      let first: PushDefect.Step
      let second: PushDefect.Step
    }
    #expect(Set(PushDefect.all.map(\.step)) == Set(PushDefect.Step.allCases))
    var missing: Set<Pair> = []
    for first in PushDefect.Step.allCases {
      for second in PushDefect.Step.allCases where first < second { missing.insert(Pair(first: first, second: second)) }
    }
    for (index, first) in PushDefect.all.enumerated() {
      for (other, second) in PushDefect.all.enumerated()
      where first.step < second.step && PushDefect.touched[index].isDisjoint(with: PushDefect.touched[other]) {
        missing.remove(Pair(first: first.step, second: second.step))
      }
    }
    // These are about one value each, which cannot be wrong in two ways at once: path and token, topic, push type.
    #expect(
      missing == [
        Pair(first: .path, second: .token), Pair(first: .path, second: .tokenKnown),
        Pair(first: .token, second: .tokenKnown), Pair(first: .topic, second: .grant),
        Pair(first: .topic, second: .tokenForTopic), Pair(first: .grant, second: .tokenForTopic),
        Pair(first: .pushType, second: .typeAgainstTopic),
      ])
  }

  @Test("Every reason that a push can be answered with is the answer to some defect")
  func reasons() {
    // Of the rest, docs/http-api.md says where they come from, or that they never do.
    let elsewhere: Set<RejectionReason> = [
      .idleTimeout, .shutdown, .serviceUnavailable, .badCertificate, .badCertificateEnvironment, .forbidden,
      .expiredToken, .internalServerError,
    ]
    #expect(Set(PushDefect.all.map(\.reason)) == Set(RejectionReason.allCases).subtracting(elsewhere))
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
    var changed = names.filter { values($0, in: broken) != values($0, in: original) }
    if broken.payload != original.payload { changed.insert("body") }
    if broken.earlierToken != original.earlierToken { changed.insert("earlier token") }
    return changed
  }
}
