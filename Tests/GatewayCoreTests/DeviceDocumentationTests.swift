import BudgetThrottle
import GatewayCore
import Testing
import TokenStore

/// Keeps the section "Device listener" of `docs/http-api.md` and the code in step: who writes a device reads only that.
@Suite("Documentation of the device listener") struct DeviceDocumentationTests {
  private let section: DocumentSection

  init() throws {
    section = try DocumentSection(ofFile: "docs/http-api.md", titled: "Device listener")
  }

  @Test("The table of errors is the list of codes, with their statuses, in its order")
  func errors() {
    let rows = section.tables(headed: "| error | status |").map { Array($0.prefix(2)) }
    #expect(rows == DeviceError.allCases.map { ["`\($0.rawValue)`", "\($0.status)"] })
  }

  @Test("The headings are the routes")
  func routes() throws {
    let headings = section.lines.filter { $0.hasPrefix("### `") }.map { $0.dropFirst(5).dropLast() }
    var names: [String] = []
    for heading in headings {
      let parts = heading.replacing("<device>", with: DeviceRouteTests.name)
        .replacing("<bundleID>", with: "com.example.caffeine").split(separator: " ")
      try #require(parts.count == 2)
      let route = try Array(parts[0].utf8).withUnsafeBytes { method in
        try Array(parts[1].utf8).withUnsafeBytes { try DeviceRoute.parse(method: method, target: $0) }
      }
      names.append(String(String(describing: route).prefix { $0 != "(" }))
    }
    #expect(
      names == [
        "enrol", "leave", "rotateKey", "register", "removeApp", "updates", "receipts", "state", "explain",
      ])
  }

  @Test("The examples of requests are right")
  func requests() throws {
    #expect(
      try EnrolmentRequest.parse(try example("request", of: "POST /v1/devices`"))
        == EnrolmentRequest(platform: .iOS, os: OSVersion(26)))
    #expect(
      try RegistrationRequest.parse(
        try example("request", of: "PUT /v1/devices/<device>/apps"), platform: .iOS, os: OSVersion(26))
        == RegistrationRequest(environment: .development, token: Sample.token, widgets: Sample.widgets))
    #expect(
      try ReceiptRequest.parse(try example("request", of: "POST /v1/devices/<device>/receipts"))
        == ReceiptRequest(upTo: Sample.event))
    #expect(
      try DeviceStateRequest.parse(try example("request", of: "PUT /v1/devices/<device>/state"))
        == DeviceStateRequest(
          foreground: .set(try Sample.app), session: .set(try Sample.session), asleep: false, developerMode: true))
  }

  @Test("The examples of answers are what the code writes, key by key")
  func answers() throws {
    let key = EnrolmentAnswer(
      device: DeviceRouteTests.device, key: DeviceKey(randomBytes: Array(repeating: 0xC4, count: 32)))
    try expect(key.body, isAnswerOf: "POST /v1/devices`")
    try expect(key.body, isAnswerOf: "POST /v1/devices/<device>/key")

    let token = try #require(Sample.token)
    let registration = RegistrationAnswer(
      token: token, topic: App(try Sample.app).topic,
      widgets: [
        .init(widget: Sample.widgets[0], budget: .init(limit: 50, remaining: 3, next: Sample.next)),
        .init(widget: Sample.widgets[1], budget: .init(limit: 50, remaining: 4, next: nil)),
      ])
    try expect(registration.body, isAnswerOf: "PUT /v1/devices/<device>/apps")

    let state = DeviceStateAnswer(
      foreground: try Sample.app, session: try Sample.session, asleep: false, developerModeUntil: Sample.next)
    try expect(state.body, isAnswerOf: "PUT /v1/devices/<device>/state")

    let time = UnixTime(milliseconds: 1_772_356_320_250)
    let explanation = ExplanationAnswer(decisions: [
      DeviceDecision(
        time: time, app: try Sample.app, push: Sample.push, widgets: [Sample.widgets[0]], outcome: .deferred,
        waits: .budget, until: Sample.next),
      DeviceDecision(
        time: time, app: try Sample.app, push: Sample.push, widgets: [Sample.widgets[1]], outcome: .sent,
        event: Sample.event),
    ])
    try expect(explanation.body, isAnswerOf: "GET /v1/devices/<device>/explain")
  }

  @Test("The example of an error is one that the code gives")
  func errorExample() throws {
    let body = Array(
      #"""
      {"environment":"development","widgets":[
        {"kind":"k","family":"systemSmall"},{"kind":"k","family":"systemSmall","configurtion":"x"}]}
      """#.utf8)
    let refusal = #expect(throws: DeviceRefusal.self) {
      try RegistrationRequest.parse(body, platform: .iOS, os: OSVersion(26))
    }
    #expect(try json(try #require(refusal).body) == json(try example("error", of: "Errors")))
  }

  @Test("The example of an event is what the stream carries, byte for byte")
  func event() throws {
    var buffer: [UInt8] = []
    EventStreamFrame.append(
      Delivery.Refresh(
        session: SessionID(rawValue: 1), id: Sample.event, push: PushContent(number: 1, id: Sample.push, payload: nil),
        app: App(try Sample.app), widgets: Sample.widgets, included: WidgetSet(first: 2)), to: &buffer)
    #expect(
      try section.block("text event", under: "GET /v1/devices/<device>/updates")
        == String(decoding: buffer, as: UTF8.self))
  }

  @Test("The table of families is the table of the code")
  func families() {
    let rows = section.tables(headed: "| family | iOS |")
    #expect(
      rows
        == WidgetFamily.allCases.map { family in
          ["`\(family.rawValue)`"] + Platform.allCases.map { family.firstOS(on: $0)?.description ?? "–" }
        })
  }

  @Test("Outcomes and causes are all there")
  func words() {
    #expect(
      section.tables(headed: "| outcome |").map(\.[0]) == DeviceDecision.Outcome.allCases.map { "`\($0.rawValue)`" })
    #expect(
      section.tables(headed: "| waits for |").map(\.[0]) == RefreshDecision.Cause.allCases.map { "`\($0.word)`" })
  }

  @Test("Limits are those of the code")
  func limits() {
    let text = section.lines.joined(separator: " ")
    for limit in [
      "body has at most \(DeviceLimits.bodyBytes) bytes", "registration at most \(DeviceLimits.widgets) widgets",
      "kind at most \(Widget.maximumKindBytes) bytes",
      "configuration at most \(Widget.maximumConfigurationBytes) bytes",
      "device at most \(DeviceLimits.apps) apps", "token 1 to \(DeviceToken.maximumCount) bytes",
      "`last` is \(DeviceLimits.explained.lowerBound) to \(DeviceLimits.explained.upperBound), and "
        + "\(DeviceLimits.explainedByDefault) when it is absent",
    ] {
      #expect(text.contains(limit), "\(limit)")
    }
  }

  /// The values of the examples.
  private enum Sample {
    static let token = DeviceToken(hex: "00ffab0102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d")
    static let widgets = [
      Widget(kind: "caffeine", family: .systemSmall, configuration: "espresso"),
      Widget(kind: "caffeine", family: .systemMedium),
    ]
    static let event = EventID(epoch: 7, sequence: 120)
    static let push = DeviceAnswerTests.push
    static let next = UnixTime(seconds: 1_772_357_400)

    static var app: BundleID { get throws { try #require(BundleID("com.example.caffeine")) } }

    static var session: DeviceState.AppSession {
      get throws {
        DeviceState.AppSession(app: try #require(BundleID("com.example.podcasts")), kind: .audio)
      }
    }
  }

  private func example(_ role: String, of heading: String) throws -> [UInt8] {
    Array(try section.block("json \(role)", under: heading).utf8)
  }

  private func expect(_ body: [UInt8], isAnswerOf heading: String) throws {
    #expect(try json(body) == json(try example("answer", of: heading)), "\(heading)")
  }

  /// Members in their order, so that the documents show answers as they come.
  private func json(_ text: [UInt8]) throws -> JSONValue { try text.withUnsafeBytes { try JSONValue(reading: $0) } }
}
