package import TokenStore

/// One registration with all that its device needs to go on under another gateway: a line of the export, and of an import.
///
/// Budgets, marks and receipts are not in it. The device's key travels as its hash, which is worth nothing to a device
/// and lets the gateway that imports it know the key again.
package struct RegistrationLine: Equatable, Sendable {
  package var device: DeviceID
  /// SHA-256 of the device key.
  package var keyHash: [UInt8]
  package var platform: Platform
  package var os: OSVersion
  package var scope: DeviceScope
  /// When the device was last heard of, to a day; nil: not known.
  package var lastSeen: UnixTime?
  package var app: BundleID
  package var environment: GatewayEnvironment
  package var token: DeviceToken
  package var widgets: [Widget]

  /// nil where the device's system cannot be read, which only a damaged store can bring about.
  package init?(_ registration: RegistrationState, at reading: LedgerClockReading) {
    let device = registration.device
    guard let os = OSVersion(device.os) else { return nil }
    self.device = device.id
    keyHash = device.keyHash
    platform = device.platform
    self.os = os
    scope = device.scope
    lastSeen = device.isAttached ? reading.wall : device.lastSeen.map { reading.wallTime(of: $0) }
    app = registration.app.bundleID
    environment = registration.environment
    token = registration.token
    widgets = registration.widgets
  }

  private init(
    device: DeviceID, keyHash: [UInt8], system: EnrolmentRequest, scope: DeviceScope, lastSeen: UnixTime?,
    app: BundleID, content: RegistrationRequest, token: DeviceToken
  ) {
    self.device = device
    self.keyHash = keyHash
    platform = system.platform
    os = system.os
    self.scope = scope
    self.lastSeen = lastSeen
    self.app = app
    environment = content.environment
    self.token = token
    widgets = content.widgets
  }

  package static let formatName = "gatewayd-registrations"
  package static let formatVersion: Int64 = 1
  /// What a device may register in one request, and its own line of key, scope and the like.
  package static let maximumBytes = DeviceLimits.bodyBytes + (1 << 20)

  /// What a file's line holds.
  package enum Content: Equatable, Sendable {
    /// The first line: what the file is.
    case head
    case registration(RegistrationLine)
  }

  /// The first line of an export, with its end.
  package static func head(at wall: UnixTime) -> [UInt8] {
    var writer = JSONTextWriter()
    writer.beginObject()
    writer.key("format")
    writer.string(formatName)
    writer.key("version")
    writer.integer(formatVersion)
    writer.key("written")
    writer.integer(wall.seconds)
    writer.key("note")
    writer.string(
      "Secret: whoever has the device tokens and key hashes below should be able to read the gateway's store.")
    writer.endObject()
    return writer.bytes + [UInt8(ascii: "\n")]
  }

  /// The line, with its end.
  package func append(to bytes: inout [UInt8]) {
    // A writer puts a comma after a value; after a line's end it does not.
    var writer = JSONTextWriter(appendingTo: bytes)
    bytes = []
    writer.beginObject()
    writer.key("device")
    writer.uuid(device.uuid)
    writer.key("key-sha256")
    writer.string(HexDigits.text(of: keyHash))
    writer.key("platform")
    writer.string(platform.rawValue)
    writer.key("os")
    writer.string(os.description)
    writer.key("enrolment")
    writer.beginObject()
    writer.key("key")
    writer.string(HexDigits.text(of: scope.keyFingerprint.bigEndianBytes))
    writer.key("bundle-ids")
    writer.beginArray()
    for pattern in scope.bundleIDs { writer.string(pattern.description) }
    writer.endArray()
    writer.key("environments")
    writer.beginArray()
    for environment in scope.environments { writer.string(environment.rawValue) }
    writer.endArray()
    writer.endObject()
    writer.key("seen")
    if let lastSeen { writer.integer(lastSeen.seconds) } else { writer.null() }
    writer.key("app")
    writer.string(app.description)
    writer.key("environment")
    writer.string(environment.rawValue)
    writer.key("token")
    writer.string(token.description)
    writer.key("widgets")
    writer.beginArray()
    for widget in widgets {
      writer.beginObject()
      writer.members(of: widget)
      writer.endObject()
    }
    writer.endArray()
    writer.endObject()
    writer.bytes.append(UInt8(ascii: "\n"))
    bytes = writer.bytes
  }

  /// - Parameter line: without its end.
  package static func parse(_ line: [UInt8]) throws(ImportRefusal) -> Content {
    guard line.count <= maximumBytes else {
      throw ImportRefusal("line-too-long", "the line has \(line.count) bytes; at most \(maximumBytes) are read")
    }
    do throws(DeviceRefusal) {
      let value = try RequestObject.read(line)
      if case .object(let members) = value, members.first?.key == "format" { return try head(value) }
      return .registration(try registration(value))
    } catch {
      throw ImportRefusal(error)
    }
  }

  /// Whether a line is meant as the first of an export, right or wrong.
  package static func isHead(_ line: some Collection<UInt8>) -> Bool { line.starts(with: "{\"format\"".utf8) }

  private static func head(_ value: JSONValue) throws(DeviceRefusal) -> Content {
    let object = try RequestObject(value, at: "", keys: ["format", "version", "written", "note"])
    let (name, version) = (try object.text("format"), try object.optionalInteger("version"))
    guard name == formatName, version == formatVersion else {
      throw DeviceRefusal(
        .wrongType, "this is \(InputQuote(name)) of version \(version ?? 0), and not \(formatName) of version 1")
    }
    return .head
  }

  private static func registration(_ value: JSONValue) throws(DeviceRefusal) -> RegistrationLine {
    let object = try RequestObject(
      value, at: "",
      keys: [
        "device", "key-sha256", "platform", "os", "enrolment", "seen", "app", "environment", "token", "widgets",
      ])
    let name = try object.text("device")
    guard let device = CanonicalUUID(name) else {
      throw DeviceRefusal(.wrongType, "device is \(InputQuote(name)), and should be a UUID")
    }
    guard let keyHash = DeviceToken(hex: try object.text("key-sha256"))?.bytes, keyHash.count == 32 else {
      throw DeviceRefusal(.wrongType, "key-sha256 should be the 64 hex digits of a SHA-256")
    }
    let system = try EnrolmentRequest(object)
    let scope = try scope(try object.object("enrolment", keys: ["key", "bundle-ids", "environments"]))
    let seen = try object.optionalInteger("seen")
    guard (seen ?? 0) >= 0, (seen ?? 0) < 1 << 40 else {
      throw DeviceRefusal(.wrongType, "seen should be UNIX seconds")
    }
    let app = try object.bundleID(try object.text("app"), at: "app")
    let content = try RegistrationRequest(object, platform: system.platform, os: system.os)
    guard let token = content.token else { throw DeviceRefusal(.missingKey, "token is missing") }
    if let refusal = scope.refusal(of: app, in: content.environment) { throw refusal }
    return RegistrationLine(
      device: DeviceID(device), keyHash: keyHash, system: system, scope: scope,
      lastSeen: seen.map { UnixTime(seconds: $0) }, app: app, content: content, token: token)
  }

  private static func scope(_ object: RequestObject) throws(DeviceRefusal) -> DeviceScope {
    guard let key = DeviceToken(hex: try object.text("key"))?.bytes, key.count == 8 else {
      throw DeviceRefusal(.wrongType, "\(object.path("key")) should be 16 hex digits")
    }
    var patterns: [BundlePattern] = []
    for text in try object.texts("bundle-ids") {
      guard let pattern = BundlePattern(text) else {
        throw DeviceRefusal(.badBundleID, "\(InputQuote(text)) in \(object.path("bundle-ids")) is no bundle ID")
      }
      patterns.append(pattern)
    }
    guard patterns.count <= DeviceScope.maximumPatterns else {
      throw DeviceRefusal(
        .wrongType, "\(object.path("bundle-ids")) should be at most \(DeviceScope.maximumPatterns) patterns")
    }
    var environments: [GatewayEnvironment] = []
    for text in try object.texts("environments") {
      guard let environment = GatewayEnvironment(rawValue: text) else {
        throw DeviceRefusal(.unknownEnvironment, "\(InputQuote(text)) in \(object.path("environments")) is none")
      }
      environments.append(environment)
    }
    return DeviceScope(
      keyFingerprint: key.reduce(0) { $0 << 8 | UInt64($1) }, bundleIDs: patterns, environments: environments)
  }
}

extension UInt64 {
  fileprivate var bigEndianBytes: [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: self >> UInt64(56 - 8 * $0)) } }
}
