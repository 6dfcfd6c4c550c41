import GatewayCore
import Testing
import TokenStore

/// Protects the device listener's bodies: each defect is one refusal that says where, and what is right comes through
/// whole.
@Suite("Device requests") struct DeviceRequestTests {
  // MARK: - Enrolment

  @Test(
    "Each platform enrols from the first system with widget pushes on", arguments: Platform.allCases,
    ["26", "26.1", "27.0.1"])
  func enrols(platform: Platform, os: String) throws {
    let request = try EnrolmentRequest.parse(bytes(#"{"os":"\#(os)","platform":"\#(platform.rawValue)"}"#))
    #expect(request == EnrolmentRequest(platform: platform, os: try #require(OSVersion(os))))
  }

  @Test(
    "Each defect of an enrolment has its answer",
    arguments: [
      ("", .malformedJSON, "the body is empty, and should be a JSON object"),
      ("{", .malformedJSON, "the text ends too early at offset 1"),
      (#"{"platform":"iOS","platform":"iOS"}"#, .malformedJSON, "a key that the object has already at offset 18"),
      ("[]", .wrongType, "the body should be an object, and is an array"),
      (
        #"{"platform":"iOS","os":"26","name":"x"}"#, .unknownKey,
        "\"name\" is not known; known are platform, os"
      ),
      (#"{"os":"26"}"#, .missingKey, "platform is missing"),
      (#"{"platform":"iOS"}"#, .missingKey, "os is missing"),
      (#"{"platform":null,"os":"26"}"#, .wrongType, "platform should be text, and is null"),
      (#"{"platform":"iOS","os":26}"#, .wrongType, "os should be text, and is a number"),
      (
        #"{"platform":"ios","os":"26"}"#, .unknownPlatform,
        "\"ios\" is none of iOS, iPadOS, macOS, watchOS, visionOS"
      ),
      (
        #"{"platform":"iOS","os":"26b"}"#, .badOSVersion,
        "os is \"26b\"; a version is one to three numbers, such as \"26\" or \"26.1\""
      ),
      (#"{"platform":"iOS","os":"18.7"}"#, .osTooOld, "widget pushes exist on iOS from 26, not on 18.7"),
    ] as [(String, DeviceError, String)])
  func refusesEnrolment(body: String, error: DeviceError, detail: String) {
    #expect(throws: DeviceRefusal(error, detail)) { try EnrolmentRequest.parse(bytes(body)) }
  }

  @Test("A body is refused by its size before it is read")
  func tooLarge() {
    let body = [UInt8](repeating: 0x20, count: DeviceLimits.bodyBytes + 1)
    #expect(throws: DeviceRefusal(.bodyTooLarge)) { try EnrolmentRequest.parse(body) }
    #expect(throws: DeviceRefusal(.bodyTooLarge)) { try ReceiptRequest.parse(body) }
  }

  // MARK: - Registration

  @Test("A registration comes through whole, equal widgets in their order")
  func registers() throws {
    let request = try registration(
      #"""
      {"environment":"production","token":"00FFab","widgets":[
        {"kind":"caffeine","family":"systemSmall","configuration":"{\"cup\":1}"},
        {"kind":"caffeine","family":"systemSmall"},
        {"family":"accessoryInline","kind":"caffeine","configuration":null},
        {"kind":"caffeine","family":"systemSmall"}]}
      """#)
    let plain = Widget(kind: "caffeine", family: .systemSmall)
    #expect(
      request
        == RegistrationRequest(
          environment: .production, token: DeviceToken(bytes: [0, 255, 171]),
          widgets: [
            Widget(kind: "caffeine", family: .systemSmall, configuration: #"{"cup":1}"#), plain,
            Widget(kind: "caffeine", family: .accessoryInline), plain,
          ]))
  }

  @Test(
    "An absent token and one that is null both leave the choice to the gateway",
    arguments: [
      #"{"environment":"development","widgets":[]}"#, #"{"environment":"development","token":null,"widgets":[]}"#,
    ])
  func noToken(body: String) throws {
    #expect(try registration(body) == RegistrationRequest(environment: .development, widgets: []))
  }

  @Test("Sizes are allowed up to their limit, counted in bytes")
  func limits() throws {
    let kind = String(repeating: "é", count: Widget.maximumKindBytes / 2)
    let configuration = String(repeating: "x", count: Widget.maximumConfigurationBytes)
    let token = String(repeating: "ab", count: DeviceToken.maximumCount)
    let largest = #"{"kind":"\#(kind)","family":"systemSmall","configuration":"\#(configuration)"}"#
    let small = Array(repeating: #"{"kind":"k","family":"systemSmall"}"#, count: DeviceLimits.widgets - 1)
    let widgets = ([largest] + small).joined(separator: ",")
    let request = try registration(#"{"environment":"development","token":"\#(token)","widgets":[\#(widgets)]}"#)
    #expect(request.widgets.count == 64)
    #expect(request.widgets.first == Widget(kind: kind, family: .systemSmall, configuration: configuration))
    #expect(request.token?.count == 100)
  }

  @Test(
    "Each defect of a registration has its answer",
    arguments: [
      (#"{"widgets":[]}"#, .missingKey, "environment is missing"),
      (#"{"environment":true,"widgets":[]}"#, .wrongType, "environment should be text, and is true or false"),
      (
        #"{"environment":"sandbox","widgets":[]}"#, .unknownEnvironment,
        "\"sandbox\" is none of development, production"
      ),
      (
        #"{"environment":"development","tokens":"00","widgets":[]}"#, .unknownKey,
        "\"tokens\" is not known; known are environment, token, widgets"
      ),
      (#"{"environment":"development","token":7,"widgets":[]}"#, .wrongType, "token should be text, and is a number"),
      (
        #"{"environment":"development","token":"","widgets":[]}"#, .badToken,
        "token has 0 characters; a token is 1 to 100 bytes as hex"
      ),
      (
        #"{"environment":"development","token":"abc","widgets":[]}"#, .badToken,
        "token has 3 characters; a token is 1 to 100 bytes as hex"
      ),
      (
        #"{"environment":"development","token":"zz","widgets":[]}"#, .badToken,
        "token has 2 characters; a token is 1 to 100 bytes as hex"
      ),
      (
        #"{"environment":"development","token":"\#(String(repeating: "ab", count: 101))","widgets":[]}"#, .badToken,
        "token has 202 characters; a token is 1 to 100 bytes as hex"
      ),
      (#"{"environment":"development"}"#, .missingKey, "widgets is missing"),
      (#"{"environment":"development","widgets":null}"#, .wrongType, "widgets should be an array, and is null"),
      (#"{"environment":"development","widgets":{}}"#, .wrongType, "widgets should be an array, and is an object"),
      (
        #"{"environment":"development","widgets":[\#(Array(repeating: "0", count: 65).joined(separator: ","))]}"#,
        .tooManyWidgets, "widgets has 65; a registration has at most 64 widgets"
      ),
    ] as [(String, DeviceError, String)])
  func refusesRegistration(body: String, error: DeviceError, detail: String) {
    #expect(throws: DeviceRefusal(error, detail)) { try registration(body) }
  }

  @Test(
    "Each defect of a widget has its answer, and names the widget",
    arguments: [
      (#"3"#, .wrongType, "widgets[1] should be an object, and is a number"),
      (
        #"{"kind":"k","family":"systemSmall","configurtion":"x"}"#, .unknownKey,
        "\"configurtion\" in widgets[1] is not known; known are kind, family, configuration"
      ),
      (#"{"family":"systemSmall"}"#, .missingKey, "widgets[1].kind is missing"),
      (#"{"kind":[],"family":"systemSmall"}"#, .wrongType, "widgets[1].kind should be text, and is an array"),
      (#"{"kind":"","family":"systemSmall"}"#, .kindEmpty, "widgets[1].kind is empty"),
      (
        #"{"kind":"\#(String(repeating: "é", count: 65))","family":"systemSmall"}"#, .kindTooLong,
        "widgets[1].kind has 130 bytes; at most 128 are allowed"
      ),
      (#"{"kind":"k"}"#, .missingKey, "widgets[1].family is missing"),
      (
        #"{"kind":"k","family":"systemsmall"}"#, .unknownFamily,
        "widgets[1].family is \"systemsmall\", none of systemSmall, systemMedium, systemLarge, systemExtraLarge, "
          + "systemExtraLargePortrait, accessoryCircular, accessoryRectangular, accessoryInline, accessoryCorner"
      ),
      (
        #"{"kind":"k","family":"accessoryCorner"}"#, .familyNotAvailable,
        "widgets[1].family: accessoryCorner does not exist on iOS"
      ),
      (
        #"{"kind":"k","family":"systemExtraLargePortrait"}"#, .familyNotAvailable,
        "widgets[1].family: systemExtraLargePortrait exists on iOS from 27, and this device runs 26.1"
      ),
      (
        #"{"kind":"k","family":"systemSmall","configuration":false}"#, .wrongType,
        "widgets[1].configuration should be text, and is true or false"
      ),
      (
        #"{"kind":"k","family":"systemSmall","configuration":"\#(String(repeating: "x", count: 1025))"}"#,
        .configurationTooLong, "widgets[1].configuration has 1025 bytes; at most 1024 are allowed"
      ),
    ] as [(String, DeviceError, String)])
  func refusesWidget(widget: String, error: DeviceError, detail: String) {
    let body = #"{"environment":"development","widgets":[{"kind":"k","family":"systemSmall"},\#(widget)]}"#
    #expect(throws: DeviceRefusal(error, detail)) { try registration(body) }
  }

  @Test("A family is judged by the device's own platform and system")
  func familyByPlatform() throws {
    let body = bytes(#"{"environment":"development","widgets":[{"kind":"k","family":"accessoryCorner"}]}"#)
    _ = try RegistrationRequest.parse(body, platform: .watchOS, os: OSVersion(26))
    let portrait = bytes(#"{"environment":"development","widgets":[{"kind":"k","family":"systemExtraLargePortrait"}]}"#)
    _ = try RegistrationRequest.parse(portrait, platform: .iOS, os: OSVersion(27))
    _ = try RegistrationRequest.parse(portrait, platform: .visionOS, os: OSVersion(26))
  }

  // MARK: - Receipts

  @Test(
    "A receipt names one event",
    arguments: [
      ("0-0", EventID(epoch: 0, sequence: 0)), ("7-120", EventID(epoch: 7, sequence: 120)),
      ("18446744073709551615-18446744073709551615", EventID(epoch: .max, sequence: .max)),
    ])
  func receipt(text: String, id: EventID) throws {
    #expect(try ReceiptRequest.parse(bytes(#"{"upTo":"\#(text)"}"#)) == ReceiptRequest(upTo: id))
    #expect(try bytes(text).withUnsafeBytes { try ReceiptRequest.parse(lastEventID: $0) } == ReceiptRequest(upTo: id))
    #expect(EventID(text) == id)
    #expect(id.description == text)
  }

  @Test(
    "Anything else is no event, in the body and in last-event-id alike",
    arguments: [
      "7", "7-", "-7", "7-1-2", "07-1", "7-01", "7 - 1", "+7-1", "7--1", "7-1a", "7-18446744073709551616", "a-b", "٧-١",
    ])
  func badReceipt(text: String) throws {
    let detail = "is \"\(text)\"; a receipt names an event as <epoch>-<sequence>"
    #expect(throws: DeviceRefusal(.badReceipt, "upTo \(detail)")) {
      try ReceiptRequest.parse(bytes(#"{"upTo":"\#(text)"}"#))
    }
    #expect(throws: DeviceRefusal(.badReceipt, "last-event-id \(detail)")) {
      try bytes(text).withUnsafeBytes { try ReceiptRequest.parse(lastEventID: $0) }
    }
  }

  @Test(
    "Each defect of a receipt's body has its answer",
    arguments: [
      ("{}", .missingKey, "upTo is missing"), (#"{"upTo":7}"#, .wrongType, "upTo should be text, and is a number"),
      (#"{"upto":"7-1"}"#, .unknownKey, "\"upto\" is not known; known are upTo"),
    ] as [(String, DeviceError, String)])
  func refusesReceipt(body: String, error: DeviceError, detail: String) {
    #expect(throws: DeviceRefusal(error, detail)) { try ReceiptRequest.parse(bytes(body)) }
  }

  @Test("An empty last-event-id says that nothing has been seen")
  func emptyLastEventID() throws {
    #expect(try ReceiptRequest.parse(lastEventID: UnsafeRawBufferPointer(start: nil, count: 0)) == nil)
  }

  @Test("Events are ordered by epoch, then by sequence")
  func eventOrder() {
    #expect(EventID(epoch: 1, sequence: 9) < EventID(epoch: 2, sequence: 1))
    #expect(EventID(epoch: 2, sequence: 9) < EventID(epoch: 2, sequence: 10))
  }

  // MARK: - State

  @Test("A state that is not named stays, and null says none")
  func state() throws {
    let app = try #require(BundleID("com.example.caffeine"))
    #expect(try DeviceStateRequest.parse(bytes("{}")) == DeviceStateRequest())
    #expect(
      try DeviceStateRequest.parse(bytes(#"{"foreground":null,"session":null}"#))
        == DeviceStateRequest(foreground: .set(nil), session: .set(nil)))
    #expect(
      try DeviceStateRequest.parse(
        bytes(
          #"""
          {"foreground":"com.example.caffeine","session":{"app":"com.example.caffeine","kind":"navigation"},
           "asleep":true,"developerMode":false}
          """#))
        == DeviceStateRequest(
          foreground: .set(app), session: .set(DeviceState.AppSession(app: app, kind: .navigation)), asleep: true,
          developerMode: false))
    #expect(
      try DeviceStateRequest.parse(bytes(#"{"session":{"kind":"audio","app":"com.example.caffeine"}}"#)).session
        == .set(DeviceState.AppSession(app: app, kind: .audio)))
  }

  @Test("What a body says of the stream's own state reaches the ledger, and nothing else")
  func said() throws {
    let app = try #require(BundleID("com.example"))
    let none = try DeviceStateRequest.parse(bytes(#"{"developerMode":true}"#)).said
    #expect(none.foreground == nil && none.session == nil && none.isAsleep == nil)
    let cleared = try DeviceStateRequest.parse(bytes(#"{"foreground":null,"session":null,"asleep":false}"#)).said
    #expect(cleared.foreground == .some(nil) && cleared.session == .some(nil) && cleared.isAsleep == false)
    let set = try DeviceStateRequest.parse(
      bytes(#"{"foreground":"com.example","session":{"app":"com.example","kind":"audio"}}"#)
    ).said
    #expect(set.foreground == .some(app))
    #expect(set.session == .some(DeviceState.AppSession(app: app, kind: .audio)))
  }

  @Test(
    "Each defect of a state has its answer",
    arguments: [
      (
        #"{"foregrund":null}"#, .unknownKey,
        "\"foregrund\" is not known; known are foreground, session, asleep, developerMode"
      ),
      (#"{"foreground":1}"#, .wrongType, "foreground should be text, and is a number"),
      (
        #"{"foreground":"com..x"}"#, .badBundleID,
        "foreground is \"com..x\"; a bundle ID has 1 to 155 letters, digits, \"-\" and \".\", and no empty part"
      ),
      (#"{"session":"audio"}"#, .wrongType, "session should be an object, and is text"),
      (#"{"session":{"kind":"audio"}}"#, .missingKey, "session.app is missing"),
      (#"{"session":{"app":"com.example"}}"#, .missingKey, "session.kind is missing"),
      (
        #"{"session":{"app":"","kind":"audio"}}"#, .badBundleID,
        "session.app is \"\"; a bundle ID has 1 to 155 letters, digits, \"-\" and \".\", and no empty part"
      ),
      (
        #"{"session":{"app":"com.example","kind":"video"}}"#, .unknownSessionKind,
        "session.kind is \"video\"; a session is \"audio\" or \"navigation\""
      ),
      (
        #"{"session":{"app":"com.example","kind":"audio","since":1}}"#, .unknownKey,
        "\"since\" in session is not known; known are app, kind"
      ),
      (#"{"asleep":null}"#, .wrongType, "asleep should be true or false, and is null"),
      (#"{"asleep":1}"#, .wrongType, "asleep should be true or false, and is a number"),
      (#"{"developerMode":"true"}"#, .wrongType, "developerMode should be true or false, and is text"),
    ] as [(String, DeviceError, String)])
  func refusesState(body: String, error: DeviceError, detail: String) {
    #expect(throws: DeviceRefusal(error, detail)) { try DeviceStateRequest.parse(bytes(body)) }
  }

  // MARK: - Details

  @Test("Quoted input is short and has no control characters")
  func quoting() {
    let long = String(repeating: "k", count: 5000)
    #expect(throws: DeviceRefusal(.unknownKey, "\"\(long.prefix(64))…\" is not known; known are upTo")) {
      try ReceiptRequest.parse(bytes(#"{"\#(long)":1}"#))
    }
    #expect(throws: DeviceRefusal(.unknownKey, "\"a\u{FFFD}b\" is not known; known are upTo")) {
      try ReceiptRequest.parse(bytes(#"{"a\u001bb":1}"#))
    }
  }

  private func registration(_ body: String) throws -> RegistrationRequest {
    try RegistrationRequest.parse(bytes(body), platform: .iOS, os: OSVersion(26, 1))
  }

  private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }
}
