import BudgetThrottle
import TokenStore

/// Writes decisions as they are made, about forty bytes for a push that is deferred: what an entry shares with the one
/// before (registration, push, time) is not said again.
///
/// Form: version, epoch, time of the first entry; then entries. An entry is a tag (kind and what is shared), then what
/// is not shared, then what its kind says.
final class TrailEncoder {
  static let version: UInt8 = 1

  /// What an entry is, as stored: numbers are never given to another meaning.
  enum Kind {
    static let marked: UInt8 = 0
    /// Plus the toll's number.
    static let handedOver: UInt8 = 1
    static let sentAgain: UInt8 = 6
    /// Plus the cause's number.
    static let deferred: UInt8 = 7
    static let superseded: UInt8 = 13
    /// Plus the cause's number.
    static let dropped: UInt8 = 14
    static let expired: UInt8 = 20
    static let received: UInt8 = 21
    static let duplicate: UInt8 = 22
    static let removed: UInt8 = 23
    static let rejected: UInt8 = 24
    static let changed: UInt8 = 25

    static let tolls: [RefreshDecision.Toll] = [.charged, .counted, .uncounted, .exempt, .bypassed]
    static let causes: [RefreshDecision.Cause] = [.budget, .minimumInterval, .lowPriority, .asleep, .away, .busy]
  }

  enum Shared {
    static let push: UInt8 = 0x20
    static let registration: UInt8 = 0x40
    static let time: UInt8 = 0x80
  }

  let epoch: UInt64
  private(set) var count = 0
  private(set) var last = LedgerTime(milliseconds: 0)
  private let writer = ByteWriter(reserving: 4096)
  private var registration: UInt64 = 0
  private var push = Decision.Push(number: 0, id: PushID(CanonicalUUID(high: 0, low: 0)))
  private var hasPush = false

  init(epoch: UInt64) { self.epoch = epoch }

  var byteCount: Int { writer.count }
  /// All that was written.
  var bytes: [UInt8] { writer.bytes }

  /// Takes all that was written, without spare room: it is kept for long.
  func take() -> [UInt8] {
    let bytes = writer.take()
    count = 0
    hasPush = false
    return bytes
  }

  func append(
    _ outcome: Decision.Outcome, _ new: Decision.Push, _ widgets: WidgetSet, of id: UInt64, at now: LedgerTime
  ) {
    let sharesPush = hasPush && push == new && push.id.uuid.upperCaseDigits == new.id.uuid.upperCaseDigits
    begin(Self.kind(of: outcome) | (sharesPush ? Shared.push : 0), of: id, at: now)
    if !sharesPush {
      writer.number(new.number)
      name(new.id.uuid)
      push = new
      hasPush = true
    }
    writer.number(widgets.bits)
    switch outcome {
    case .marked, .expired, .received, .duplicate, .removed, .dropped: break
    case .handedOver(let toll, let event, let grant):
      self.event(event)
      if toll == .bypassed { writer.number(grant.map { UInt64($0) + 1 } ?? 0) }
    case .sentAgain(let event): self.event(event)
    case .deferred(_, let end), .rejected(let end): until(end, from: now)
    case .superseded(let number): writer.number(number)
    }
  }

  func append(_ face: FormerFace, of id: UInt64, at now: LedgerTime) {
    begin(Kind.changed, of: id, at: now)
    writer.text(face.app.description)
    writer.byte(face.environment == .production ? 1 : 0)
    writer.blob(face.token.bytes)
    writer.fixed(face.device.uuid.high)
    writer.fixed(face.device.uuid.low)
    writer.number(UInt64(face.widgets.count))
    for widget in face.widgets {
      writer.text(widget.kind)
      writer.text(widget.family.rawValue)
      writer.optional(widget.configuration) { $0.text($1) }
    }
  }

  private func begin(_ kind: UInt8, of id: UInt64, at now: LedgerTime) {
    var tag = kind
    if count == 0 {
      writer.byte(Self.version)
      writer.number(epoch)
      writer.signed(now.milliseconds)
      last = now
      tag |= Shared.time
    } else {
      if registration == id { tag |= Shared.registration }
      if last == now { tag |= Shared.time }
    }
    writer.byte(tag)
    if tag & Shared.registration == 0 { writer.number(id) }
    if tag & Shared.time == 0 { writer.signed(now.milliseconds(since: last)) }
    registration = id
    last = now
    count += 1
  }

  private func name(_ id: CanonicalUUID) {
    switch id.upperCaseDigits {
    case 0: writer.byte(0)
    case .max: writer.byte(1)
    case let digits:
      writer.byte(2)
      writer.number(UInt64(digits))
    }
    writer.fixed(id.high)
    writer.fixed(id.low)
  }

  /// No event has epoch 0: it stands for this epoch.
  private func event(_ id: EventID) {
    writer.number(id.epoch == epoch ? 0 : id.epoch)
    writer.number(id.sequence)
  }

  /// 0 is never.
  private func until(_ end: LedgerTime, from now: LedgerTime) {
    writer.number(end == .distantFuture ? 0 : UInt64(max(0, end.milliseconds(since: now))) + 1)
  }

  private static func kind(of outcome: Decision.Outcome) -> UInt8 {
    switch outcome {
    case .marked: Kind.marked
    case .handedOver(let toll, _, _): Kind.handedOver + number(of: toll)
    case .sentAgain: Kind.sentAgain
    case .deferred(let cause, _): Kind.deferred + number(of: cause)
    case .superseded: Kind.superseded
    case .dropped(let cause): Kind.dropped + number(of: cause)
    case .expired: Kind.expired
    case .received: Kind.received
    case .duplicate: Kind.duplicate
    case .removed: Kind.removed
    case .rejected: Kind.rejected
    }
  }

  private static func number(of toll: RefreshDecision.Toll) -> UInt8 {
    switch toll {
    case .charged: 0
    case .counted: 1
    case .uncounted: 2
    case .exempt: 3
    case .bypassed: 4
    }
  }

  private static func number(of cause: RefreshDecision.Cause) -> UInt8 {
    switch cause {
    case .budget: 0
    case .minimumInterval: 1
    case .lowPriority: 2
    case .asleep: 3
    case .away: 4
    case .busy: 5
    }
  }
}
