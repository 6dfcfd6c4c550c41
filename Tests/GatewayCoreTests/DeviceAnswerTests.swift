import BudgetThrottle
import Foundation
import GatewayCore
import Testing
import TokenStore

/// Protects what devices read: one event is one line of JSON whatever is in it, and answers have the documented keys.
@Suite("Device answers") struct DeviceAnswerTests {
  static let widget = Widget(kind: "caffeine", family: .systemSmall, configuration: "cup")
  static let push = PushID(CanonicalUUID(high: 0x0A1B_2C3D_4E5F_4A6B, low: 0x8C7D_9E0F_1A2B_3C4D, isUpperCase: true))

  @Test("A refresh is one event, byte for byte, after what is already there")
  func refresh() throws {
    var buffer = EventStreamFrame.heartbeat
    try append(
      widgets: [Self.widget, Widget(kind: "k\"\n", family: .accessoryInline)],
      payload: #"{"aps":{"content-changed":true}}"#, to: &buffer)
    #expect(
      String(decoding: buffer, as: UTF8.self)
        == ": heartbeat\n\nid: 7-120\nevent: refresh\ndata: "
        + #"{"apns-id":"0A1B2C3D-4E5F-4A6B-8C7D-9E0F1A2B3C4D","app":"com.example.caffeine","#
        + #""topic":"com.example.caffeine.push-type.widgets","#
        + #""widgets":[{"kind":"caffeine","family":"systemSmall","configuration":"cup"},"#
        + #"{"kind":"k\"\n","family":"accessoryInline","configuration":null}],"#
        + #""payload":{"aps":{"content-changed":true}}}"# + "\n\n")
  }

  @Test(
    "No payload and no widget can end the line or begin another event",
    arguments: [
      "{\r\n \"aps\" : {\n\"content-changed\": true } }\r\n", "{\"a\":\"x\\n\\ndata: y\"}",
      "{\"a\":\"\u{2028}\u{85}\"}",
      "{}\n\nevent: refresh\ndata: {}", "\n\n{}", "",
    ])
  func oneLine(payload: String) throws {
    var buffer: [UInt8] = []
    try append(widgets: [Widget(kind: "a\n\nevent: x\r", family: .systemSmall)], payload: payload, to: &buffer)
    #expect(!buffer.contains(0x0D))
    let lines = buffer.split(separator: 0x0A, omittingEmptySubsequences: false)
    #expect(lines.map { $0.isEmpty } == [false, false, false, true, true])
  }

  @Test("A payload with line breaks means the same on one line")
  func samePayload() throws {
    let payload = "{\r\n \"aps\" : {\n\"content-changed\": true }, \"t\": \"a\\nb 🍵\" }\r\n"
    var buffer: [UInt8] = []
    try append(widgets: [Self.widget], payload: payload, to: &buffer)
    let data = try #require(String(decoding: buffer, as: UTF8.self).split(separator: "\n").last?.dropFirst(6))
    let object = try #require(JSONSerialization.jsonObject(with: Data(data.utf8)) as? [String: Any])
    let expected = try JSONSerialization.jsonObject(with: Data(payload.utf8)) as? NSDictionary
    #expect(object["payload"] as? NSDictionary == expected)
  }

  @Test("A heartbeat is a comment, which readers skip")
  func heartbeat() { #expect(String(decoding: EventStreamFrame.heartbeat, as: UTF8.self) == ": heartbeat\n\n") }

  @Test("A registration's answer has each widget's budget, and the next token's time rounded up")
  func registration() throws {
    let token = try #require(DeviceToken(bytes: [0xAB, 0x01]))
    let answer = RegistrationAnswer(
      token: token, topic: "com.example.caffeine.push-type.widgets",
      widgets: [
        .init(widget: Self.widget, budget: .init(limit: 50, remaining: 3, next: UnixTime(milliseconds: 1001))),
        .init(widget: Self.widget, budget: .init(limit: 50, remaining: 4, next: nil)),
        .init(widget: Widget(kind: "k", family: .systemLarge), budget: nil),
      ])
    #expect(
      String(decoding: answer.body, as: UTF8.self)
        == #"{"token":"ab01","topic":"com.example.caffeine.push-type.widgets","widgets":["#
        + #"{"kind":"caffeine","family":"systemSmall","configuration":"cup","limit":50,"remaining":3,"#
        + #""next":"1970-01-01T00:00:02Z"},"#
        + #"{"kind":"caffeine","family":"systemSmall","configuration":"cup","limit":50,"remaining":4,"next":null},"#
        + #"{"kind":"k","family":"systemLarge","configuration":null,"limit":null,"remaining":null,"next":null}]}"#)
  }

  @Test("The key stands in the answer that hands it out")
  func enrolment() {
    let key = DeviceKey(randomBytes: Array(repeating: 0xC4, count: 32))
    let answer = EnrolmentAnswer(device: DeviceRouteTests.device, key: key)
    let digits = String(repeating: "c4", count: 32)
    #expect(
      String(decoding: answer.body, as: UTF8.self) == #"{"device":"\#(DeviceRouteTests.name)","key":"\#(digits)"}"#)
  }

  @Test("A state's answer is the whole state")
  func state() throws {
    let app = try #require(BundleID("com.example"))
    #expect(
      text(DeviceStateAnswer().body)
        == #"{"foreground":null,"session":null,"asleep":false,"developerMode":false,"developerModeUntil":null}"#)
    #expect(
      text(
        DeviceStateAnswer(
          foreground: app, session: DeviceState.AppSession(app: app, kind: .audio), asleep: true,
          developerModeUntil: UnixTime(seconds: 60)
        ).body)
        == #"{"foreground":"com.example","session":{"app":"com.example","kind":"audio"},"asleep":true,"#
        + #""developerMode":true,"developerModeUntil":"1970-01-01T00:01:00Z"}"#)
  }

  @Test("A decision tells what became of one widget's refresh, and what it waits for")
  func explanation() throws {
    let app = try #require(BundleID("com.example"))
    let answer = ExplanationAnswer(decisions: [
      DeviceDecision(
        time: UnixTime(milliseconds: 1500), app: app, push: Self.push, widgets: [Self.widget], outcome: .deferred,
        waits: .minimumInterval, until: UnixTime(milliseconds: 60_001)),
      DeviceDecision(
        time: UnixTime(milliseconds: 0), app: app, push: Self.push, widgets: [Self.widget], outcome: .sent,
        event: EventID(epoch: 7, sequence: 120)),
    ])
    let shared =
      #""app":"com.example","apns-id":"0A1B2C3D-4E5F-4A6B-8C7D-9E0F1A2B3C4D","#
      + #""widgets":[{"kind":"caffeine","family":"systemSmall","configuration":"cup"}],"#
    #expect(
      text(answer.body)
        == #"{"decisions":[{"time":"1970-01-01T00:00:01.500Z",\#(shared)"outcome":"deferred","event":null,"#
        + #""waits-for":"minimum-interval","until":"1970-01-01T00:01:01Z"},"#
        + #"{"time":"1970-01-01T00:00:00Z",\#(shared)"outcome":"sent","event":"7-120","waits-for":null,"until":null}]}"#
    )
  }

  @Test("Each refusal is JSON with the code and a sentence", arguments: DeviceError.allCases)
  func refusal(error: DeviceError) throws {
    let refusal = DeviceRefusal(error)
    let body = try JSONDecoder().decode([String: String].self, from: Data(refusal.body))
    #expect(body == ["error": error.rawValue, "detail": error.standardDetail])
    #expect((400...599).contains(refusal.status))
    #expect((refusal.challenge != nil) == (refusal.status == 401))
    #expect(error.rawValue.allSatisfy { $0 == "-" || $0.isASCII && $0.isLowercase && $0.isLetter })
    #expect(!error.standardDetail.isEmpty)
  }

  @Test("A refusal's own detail is escaped")
  func refusalDetail() throws {
    let detail = "\"a\" is not\nknown"
    let body = try JSONDecoder().decode([String: String].self, from: Data(DeviceRefusal(.unknownKey, detail).body))
    #expect(body["detail"] == detail)
  }

  private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  @Test("A push without a payload of its own carries the usual one, and only included widgets are named")
  func usualPayload() throws {
    let app = try #require(BundleID("a"))
    var buffer: [UInt8] = []
    EventStreamFrame.append(
      Delivery.Refresh(
        session: SessionID(rawValue: 1), id: EventID(epoch: 1, sequence: 2),
        push: PushContent(number: 1, id: Self.push, payload: nil), app: App(app),
        widgets: [Self.widget, Widget(kind: "k", family: .systemLarge)], included: WidgetSet(bits: 1 << 1 | 1 << 7)),
      to: &buffer)
    #expect(
      text(buffer).hasSuffix(
        #""widgets":[{"kind":"k","family":"systemLarge","configuration":null}],"#
          + #""payload":{"aps":{"content-changed":true}}}"# + "\n\n"))
  }

  @Test("What the ledger refuses has its code")
  func ledgerRefusals() {
    #expect(DeviceRefusal(registering: .tokenInUse) == DeviceRefusal(.tokenInUse))
    #expect(DeviceRefusal(registering: .tooManyApps(limit: 64)) == DeviceRefusal(.tooManyApps))
    #expect(DeviceRefusal(registering: .tooManyWidgets(limit: 64)) == DeviceRefusal(.tooManyWidgets))
    #expect(DeviceRefusal(developerMode: .forbidden).error == .developerModeForbidden)
    #expect(DeviceRefusal(developerMode: .switchForbidden) == DeviceRefusal(.developerModeForbidden))
    #expect(DeviceRefusal(developerMode: .tooLong(longest: 1000)).error == .developerModeForbidden)
    #expect(DeviceRefusal(developerMode: .unknownDevice) == DeviceRefusal(.badCredential))
  }

  private func append(widgets: [Widget], payload: String, to buffer: inout [UInt8]) throws {
    let app = try #require(BundleID("com.example.caffeine"))
    EventStreamFrame.append(
      Delivery.Refresh(
        session: SessionID(rawValue: 1), id: EventID(epoch: 7, sequence: 120),
        push: PushContent(number: 1, id: Self.push, payload: Array(payload.utf8)), app: App(app), widgets: widgets,
        included: WidgetSet(first: widgets.count)), to: &buffer)
  }
}
