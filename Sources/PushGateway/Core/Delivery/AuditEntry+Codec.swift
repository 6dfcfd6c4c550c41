import BudgetThrottle
import TokenStore

extension AuditEntry {
  private static let codecVersion: UInt8 = 1

  func encode() -> [UInt8] {
    var writer = ByteWriter(reserving: 64)
    writer.byte(Self.codecVersion)
    writer.signed(at.milliseconds)
    writer.byte(action.rawValue)
    writer.text(subject)
    writer.text(who)
    writer.text(why)
    writer.optional(uid) { $0.number(UInt64($1)) }
    writer.optional(until) { $0.signed($1.milliseconds) }
    return writer.bytes
  }

  static func decode(_ reader: inout ByteReader) throws(ByteReader.Damage) -> AuditEntry {
    guard try reader.byte() == codecVersion else { throw reader.damage("an audit entry of version \(codecVersion)") }
    let at = UnixTime(milliseconds: try reader.signed())
    guard let action = Action(rawValue: try reader.byte()) else { throw reader.damage("a known action") }
    return AuditEntry(
      at: at, action: action, subject: try reader.text(), who: try reader.text(), why: try reader.text(),
      uid: try reader.optional { (reader) throws(ByteReader.Damage) in try reader.uid() },
      until: try reader.optional { (reader) throws(ByteReader.Damage) in UnixTime(milliseconds: try reader.signed()) })
  }
}

extension DeveloperModeGrant where Subject == DeveloperModeSubject {
  private static var codecVersion: UInt8 { 1 }

  func encode() -> [UInt8] {
    var writer = ByteWriter(reserving: 64)
    writer.byte(Self.codecVersion)
    switch subject {
    case .app(let bundleID):
      writer.byte(0)
      writer.text(bundleID.description)
    case .device(let device):
      writer.byte(1)
      writer.text(device.description)
    }
    writer.signed(since.milliseconds)
    writer.signed(until.milliseconds)
    writer.text(who)
    writer.text(why)
    switch granter {
    case .deviceSwitch: writer.byte(0)
    case .operatorRequest(let uid):
      writer.byte(1)
      writer.optional(uid) { $0.number(UInt64($1)) }
    }
    return writer.bytes
  }

  static func decode(_ reader: inout ByteReader) throws(ByteReader.Damage) -> Self {
    guard try reader.byte() == codecVersion else { throw reader.damage("a grant of version \(codecVersion)") }
    let isDevice = try reader.flag()
    let name = try reader.text()
    let subject: DeveloperModeSubject
    if isDevice, let uuid = CanonicalUUID(name) {
      subject = .device(DeviceID(uuid))
    } else if !isDevice, let bundleID = BundleID(name) {
      subject = .app(bundleID)
    } else {
      throw reader.damage("a device or a bundle ID")
    }
    let since = LedgerTime(milliseconds: try reader.signed())
    let until = LedgerTime(milliseconds: try reader.signed())
    let who = try reader.text()
    let why = try reader.text()
    let granter: Granter
    if try reader.flag() {
      granter = .operatorRequest(uid: try reader.optional { (reader) throws(ByteReader.Damage) in try reader.uid() })
    } else {
      granter = .deviceSwitch
    }
    return Self(subject: subject, since: since, until: until, who: who, why: why, granter: granter)
  }
}

extension ByteReader {
  fileprivate mutating func uid() throws(Damage) -> UInt32 { UInt32(try count(atMost: Int(UInt32.max))) }
}
