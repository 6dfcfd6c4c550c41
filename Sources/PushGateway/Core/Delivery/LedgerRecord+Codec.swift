import BudgetThrottle
import TokenStore

extension LedgerRecord {
  /// Version of the records' form; stands at the head of every journal row.
  package static let codecVersion: UInt8 = 1

  private enum Kind: UInt8 { case pushed = 1, handedOver, received, cleared }

  package func encode(for registration: UInt64, into writer: ByteWriter) {
    switch self {
    case .pushed(let push):
      writer.byte(Kind.pushed.rawValue)
      writer.number(registration)
      writer.number(push.content.number)
      writer.pushID(push.content.id)
      writer.optional(push.content.payload) { $0.blob($1) }
      writer.number(push.marked.bits)
      writer.number(push.dropped.bits)
      writer.signed(push.expires.milliseconds)
      writer.byte(push.priority.rawValue)
      writer.signed(push.at.milliseconds)
    case .handedOver(let handOver):
      writer.byte(Kind.handedOver.rawValue)
      writer.number(registration)
      writer.number(handOver.epoch)
      writer.number(handOver.sequence)
      writer.number(handOver.widgets.bits)
      writer.number(handOver.charged.bits)
      for level in handOver.levels { writer.signed(level) }
      writer.signed(handOver.at.milliseconds)
    case .received(let epoch, let sequence):
      writer.byte(Kind.received.rawValue)
      writer.number(registration)
      writer.number(epoch)
      writer.number(sequence)
    case .cleared(let marks, let inFlight):
      writer.byte(Kind.cleared.rawValue)
      writer.number(registration)
      writer.number(marks.bits)
      writer.number(inFlight.bits)
    }
  }

  /// Reads one record and the registration that it is about.
  package static func decode(
    _ reader: inout ByteReader
  ) throws(ByteReader.Damage) -> (registration: UInt64, record: LedgerRecord) {
    guard let kind = Kind(rawValue: try reader.byte()) else { throw reader.damage("a known kind of record") }
    let registration = try reader.ordinal()
    switch kind {
    case .pushed:
      let number = try reader.ordinal()
      let id = try reader.pushID()
      let payload = try reader.optional { (reader) throws(ByteReader.Damage) in try reader.blob() }
      let push = PushRecord(
        content: PushContent(number: number, id: id, payload: payload),
        marked: WidgetSet(bits: try reader.number()), dropped: WidgetSet(bits: try reader.number()),
        expires: LedgerTime(milliseconds: try reader.signed()), priority: try reader.priority(),
        at: LedgerTime(milliseconds: try reader.signed()))
      return (registration, .pushed(push))
    case .handedOver:
      let epoch = try reader.number()
      let sequence = try reader.number()
      let widgets = WidgetSet(bits: try reader.number())
      let charged = WidgetSet(bits: try reader.number())
      guard charged.subtracting(widgets).isEmpty else { throw reader.damage("no charge without a hand-over") }
      var levels: [Int64] = []
      for _ in 0..<charged.count { levels.append(try reader.level()) }
      let at = LedgerTime(milliseconds: try reader.signed())
      return (
        registration,
        .handedOver(
          HandOverRecord(
            epoch: epoch, sequence: sequence, widgets: widgets, charged: charged, levels: levels, at: at))
      )
    case .received:
      return (registration, .received(epoch: try reader.number(), sequence: try reader.number()))
    case .cleared:
      return (
        registration,
        .cleared(marks: WidgetSet(bits: try reader.number()), inFlight: WidgetSet(bits: try reader.number()))
      )
    }
  }
}

extension ByteWriter {
  func pushID(_ id: PushID) {
    fixed(id.uuid.high)
    fixed(id.uuid.low)
    number(UInt64(id.uuid.upperCaseDigits))
  }
}

extension ByteReader {
  mutating func pushID() throws(Damage) -> PushID {
    PushID(
      CanonicalUUID(
        high: try fixed(), low: try fixed(), upperCaseDigits: UInt32(try count(atMost: Int(UInt32.max)))))
  }

  /// What a budget may hold under some policy. Its sums are exact within that, and would trap beyond.
  mutating func level() throws(Damage) -> Int64 {
    let level = try signed()
    guard (0...BudgetRate.highestCapacity).contains(level) else { throw damage("the level of a budget") }
    return level
  }

  mutating func priority() throws(Damage) -> RefreshPriority {
    guard let priority = RefreshPriority(rawValue: try byte()) else { throw damage("a priority") }
    return priority
  }
}
