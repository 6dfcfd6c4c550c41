import BudgetThrottle
import TokenStore

/// Reads what ``TrailEncoder`` wrote. Borrows its bytes, as its reader does.
struct TrailDecoder {
  typealias Damage = ByteReader.Damage
  private typealias Kind = TrailEncoder.Kind
  private typealias Shared = TrailEncoder.Shared

  let epoch: UInt64
  private var reader: ByteReader
  private var at: LedgerTime
  private var registration: UInt64 = 0
  private var push: Decision.Push?
  private var isFirst = true

  init(_ bytes: UnsafeRawBufferPointer) throws(Damage) {
    reader = ByteReader(bytes)
    guard try reader.byte() == TrailEncoder.version else {
      throw reader.damage("a trail of version \(TrailEncoder.version)")
    }
    epoch = try reader.number()
    at = LedgerTime(milliseconds: try reader.signed())
  }

  /// nil at the end.
  mutating func next() throws(Damage) -> TrailEntry? {
    guard !reader.isAtEnd else { return nil }
    let tag = try reader.byte()
    if tag & Shared.registration == 0 {
      registration = try reader.ordinal()
    } else if isFirst {
      throw reader.damage("a registration")
    }
    if tag & Shared.time == 0 { at = at.advanced(byMilliseconds: try reader.signed()) }
    isFirst = false
    let kind = tag & 0x1F
    if kind == Kind.changed { return .changed(registration: registration, from: try face(), at: at) }
    if tag & Shared.push == 0 { push = Decision.Push(number: try reader.ordinal(), id: try name()) }
    guard let push else { throw reader.damage("a push") }
    let widgets = WidgetSet(bits: try reader.number())
    return .decision(
      Decision(
        at: at, registration: registration, push: push, widgets: widgets, outcome: try outcome(kind)))
  }

  private mutating func outcome(_ kind: UInt8) throws(Damage) -> Decision.Outcome {
    switch kind {
    case Kind.marked: return .marked
    case Kind.handedOver..<Kind.sentAgain:
      let toll = Kind.tolls[Int(kind - Kind.handedOver)]
      let event = try event()
      guard toll == .bypassed else { return .handedOver(toll, event) }
      let grant = try reader.count(atMost: 1 << 40)
      return .handedOver(toll, event, grant: grant == 0 ? nil : grant - 1)
    case Kind.sentAgain: return .sentAgain(try event())
    case Kind.deferred..<Kind.superseded:
      return .deferred(Kind.causes[Int(kind - Kind.deferred)], until: try until())
    case Kind.superseded: return .superseded(by: try reader.ordinal())
    case Kind.dropped..<Kind.expired: return .dropped(Kind.causes[Int(kind - Kind.dropped)])
    case Kind.expired: return .expired
    case Kind.received: return .received
    case Kind.duplicate: return .duplicate
    case Kind.removed: return .removed
    case Kind.rejected: return .rejected(until: try until())
    default: throw reader.damage("a known kind of entry")
    }
  }

  private mutating func event() throws(Damage) -> EventID {
    let other = try reader.number()
    return EventID(epoch: other == 0 ? epoch : other, sequence: try reader.number())
  }

  private mutating func until() throws(Damage) -> LedgerTime {
    let wait = try reader.ordinal()
    return wait == 0 ? .distantFuture : at.advanced(byMilliseconds: Int64(wait - 1))
  }

  private mutating func name() throws(Damage) -> PushID {
    let digits: UInt32
    switch try reader.byte() {
    case 0: digits = 0
    case 1: digits = .max
    case 2: digits = UInt32(try reader.count(atMost: Int(UInt32.max)))
    default: throw reader.damage("how an apns-id is spelled")
    }
    return PushID(CanonicalUUID(high: try reader.fixed(), low: try reader.fixed(), upperCaseDigits: digits))
  }

  private mutating func face() throws(Damage) -> FormerFace {
    guard let app = BundleID(try reader.text()) else { throw reader.damage("a bundle ID") }
    let environment: GatewayEnvironment = try reader.flag() ? .production : .development
    guard let token = DeviceToken(bytes: try reader.blob(atMost: 100)) else { throw reader.damage("a device token") }
    let device = DeviceID(CanonicalUUID(high: try reader.fixed(), low: try reader.fixed()))
    var widgets: [Widget] = []
    for _ in 0..<(try reader.count(atMost: WidgetSet.capacity)) {
      let kind = try reader.text()
      guard let family = WidgetFamily(rawValue: try reader.text()) else { throw reader.damage("a widget family") }
      widgets.append(
        Widget(
          kind: kind, family: family,
          configuration: try reader.optional { (reader) throws(Damage) in try reader.text() }))
    }
    return FormerFace(app: app, environment: environment, token: token, device: device, widgets: widgets)
  }
}
