import BudgetThrottle
import TokenStore

extension AuditEntry {
  private static let codecVersion: UInt8 = 2

  func encode() -> [UInt8] {
    let writer = ByteWriter(reserving: 64)
    writer.byte(Self.codecVersion)
    writer.signed(at.milliseconds)
    writer.byte(action.rawValue)
    switch subject {
    case .developerMode(let subject): writer.subject(subject)
    case .budgets(let app, let device):
      writer.byte(2)
      writer.text(app.description)
      writer.device(device)
    case .registrations(let app):
      writer.byte(3)
      writer.optional(app) { $0.text($1.description) }
    }
    writer.text(who)
    writer.text(why)
    writer.granter(by)
    writer.optional(until) { $0.signed($1.milliseconds) }
    return writer.bytes
  }

  static func decode(_ reader: inout ByteReader) throws(ByteReader.Damage) -> AuditEntry {
    let version = try reader.byte()
    guard version == 1 || version == codecVersion else {
      throw reader.damage("an audit entry of version 1 or \(codecVersion)")
    }
    let at = UnixTime(milliseconds: try reader.signed())
    guard let action = Action(rawValue: try reader.byte()) else { throw reader.damage("a known action") }
    guard version > 1 else { return try decodeFirstVersion(at, action, &reader) }
    let subject: Subject
    switch try reader.byte() {
    case 0: subject = .developerMode(.app(try reader.bundleID()))
    case 1: subject = .developerMode(.device(try reader.device()))
    case 2: subject = .budgets(try reader.bundleID(), try reader.device())
    case 3:
      subject = .registrations(
        try reader.optional { (reader) throws(ByteReader.Damage) in try reader.bundleID() })
    default: throw reader.damage("an app, a device, budgets or registrations")
    }
    return AuditEntry(
      at: at, action: action, subject: subject, who: try reader.text(), why: try reader.text(),
      by: try reader.granter(), until: try reader.until())
  }

  /// The subject was a sentence then, and a device's own switch was known by its `who`.
  private static func decodeFirstVersion(
    _ at: UnixTime, _ action: Action, _ reader: inout ByteReader
  ) throws(ByteReader.Damage) -> AuditEntry {
    let words = try reader.text().split(separator: " ").map(String.init)
    let subject: Subject
    if words.count == 2, words[0] == "app", let app = BundleID(words[1]) {
      subject = .developerMode(.app(app))
    } else if words.count == 2, words[0] == "device", let device = CanonicalUUID(words[1]) {
      subject = .developerMode(.device(DeviceID(device)))
    } else if words.count == 4, let app = BundleID(words[0]), let device = CanonicalUUID(words[3]) {
      subject = .budgets(app, DeviceID(device))
    } else {
      throw reader.damage("an app, a device or budgets")
    }
    let who = try reader.text()
    let why = try reader.text()
    let uid = try reader.optional { (reader) throws(ByteReader.Damage) in try reader.uid() }
    return AuditEntry(
      at: at, action: action, subject: subject, who: who, why: why,
      by: who.hasPrefix("device ") ? .deviceSwitch : .operatorRequest(uid: uid), until: try reader.until())
  }
}

extension DeveloperModeGrant where Subject == DeveloperModeSubject {
  private static var codecVersion: UInt8 { 1 }

  func encode() -> [UInt8] {
    let writer = ByteWriter(reserving: 64)
    writer.byte(Self.codecVersion)
    writer.subject(subject)
    writer.signed(since.milliseconds)
    writer.signed(until.milliseconds)
    writer.text(who)
    writer.text(why)
    writer.granter(granter)
    return writer.bytes
  }

  static func decode(_ reader: inout ByteReader) throws(ByteReader.Damage) -> Self {
    guard try reader.byte() == codecVersion else { throw reader.damage("a grant of version \(codecVersion)") }
    let subject: DeveloperModeSubject =
      try reader.flag() ? .device(try reader.device()) : .app(try reader.bundleID())
    return Self(
      subject: subject, since: LedgerTime(milliseconds: try reader.signed()),
      until: LedgerTime(milliseconds: try reader.signed()), who: try reader.text(), why: try reader.text(),
      granter: try reader.granter())
  }
}

extension ByteWriter {
  fileprivate func device(_ device: DeviceID) { text(device.description) }

  fileprivate func subject(_ subject: DeveloperModeSubject) {
    switch subject {
    case .app(let bundleID):
      byte(0)
      text(bundleID.description)
    case .device(let id):
      byte(1)
      device(id)
    }
  }

  fileprivate func granter(_ granter: DeveloperMode.Grant.Granter) {
    switch granter {
    case .deviceSwitch: byte(0)
    case .operatorRequest(let uid):
      byte(1)
      optional(uid) { $0.number(UInt64($1)) }
    }
  }
}

extension ByteReader {
  fileprivate mutating func uid() throws(Damage) -> UInt32 { UInt32(try count(atMost: Int(UInt32.max))) }

  fileprivate mutating func bundleID() throws(Damage) -> BundleID {
    guard let bundleID = BundleID(try text()) else { throw damage("a bundle ID") }
    return bundleID
  }

  fileprivate mutating func device() throws(Damage) -> DeviceID {
    guard let uuid = CanonicalUUID(try text()) else { throw damage("a device") }
    return DeviceID(uuid)
  }

  fileprivate mutating func granter() throws(Damage) -> DeveloperMode.Grant.Granter {
    guard try flag() else { return .deviceSwitch }
    return .operatorRequest(uid: try optional { (reader) throws(Damage) in try reader.uid() })
  }

  fileprivate mutating func until() throws(Damage) -> UnixTime? {
    try optional { (reader) throws(Damage) in UnixTime(milliseconds: try reader.signed()) }
  }
}
