import BudgetThrottle
@testable import GatewayCore
import LedgerSimulation
import Testing
import TokenStore

/// A ledger, its store and a clock that a test moves by hand.
final class SampleLedger {
  var ledger: Ledger
  var store = StoreModel()
  var now: LedgerTime
  var wall: UnixTime { UnixTime(milliseconds: now.milliseconds) }
  private var sessions: UInt64 = 0
  private var pushes: UInt64 = 0

  init(_ rules: LedgerRules = LedgerRules(), journalTarget: Int = BatchBuilder.journalTarget) {
    now = LedgerTime(milliseconds: 1_772_000_000_000)
    ledger = Ledger(rules: rules, epoch: 7, journalTarget: journalTarget)
    Ledger.Restore(into: ledger).finish(at: now)
  }

  static func bundleID(_ name: String = "caffeine") throws -> BundleID {
    try #require(BundleID("com.example.\(name)"))
  }

  static func token(_ byte: UInt8, count: Int = 32) throws -> DeviceToken {
    try #require(DeviceToken(bytes: [UInt8](repeating: byte, count: count)))
  }

  static func widgets(_ kinds: String...) -> [Widget] { kinds.map { Widget(kind: $0, family: .systemSmall) } }

  var hasNothingToWrite: Bool { ledger.batch.isEmpty }

  func pass(_ milliseconds: Int64) { now = now.advanced(byMilliseconds: milliseconds) }

  func device(_ number: UInt64 = 1) -> DeviceState {
    ledger.enrol(
      id: DeviceID(CanonicalUUID(high: 1, low: number)), keyHash: [UInt8](repeating: 9, count: 32), platform: .iOS,
      os: "26", scope: DeviceScope(keyFingerprint: 1, bundleIDs: [], environments: GatewayEnvironment.allCases),
      at: now)
  }

  @discardableResult
  func register(
    _ widgets: [Widget], on device: DeviceState, app: String = "caffeine",
    environment: GatewayEnvironment = .development, token: DeviceToken? = nil, fresh: UInt8 = 1
  ) throws -> RegistrationState {
    try ledger.register(
      Ledger.RegistrationChange(
        bundleID: try Self.bundleID(app), environment: environment, token: token, freshToken: try Self.token(fresh),
        widgets: widgets),
      for: device, at: now, wall: wall)
  }

  @discardableResult
  func attach(_ device: DeviceState, last: EventID? = nil) -> SessionID {
    sessions += 1
    let session = SessionID(rawValue: sessions)
    ledger.attach(device, as: session, last: last, at: now)
    return session
  }

  static func pushID(_ number: UInt64) -> PushID { PushID(CanonicalUUID(high: 5, low: number)) }

  /// - Parameter id: a fresh one by default.
  @discardableResult
  func push(
    to registration: RegistrationState, id: UInt64? = nil, _ storage: IncomingPush.Storage = .until(.distantFuture),
    priority: RefreshPriority = .immediate, payload: [UInt8]? = nil
  ) -> PushVerdict {
    pushes += 1
    return ledger.accept(
      IncomingPush(
        id: Self.pushID(id ?? 1_000_000 + pushes), payload: payload, storage: storage, priority: priority),
      for: registration.token, in: registration.environment, bundleID: registration.app.bundleID, at: now)
  }

  func deliveries() -> [Delivery] {
    var all: [Delivery] = []
    ledger.moveDeliveries(to: &all)
    return all
  }

  func refreshes() -> [Delivery.Refresh] {
    deliveries().compactMap { delivery in
      guard case .refresh(let refresh) = delivery else { return nil }
      return refresh
    }
  }

  /// Makes durable what there is.
  func commit() {
    let clock = StoredClock(
      ledger: now.milliseconds, boot: now.milliseconds, wall: wall.milliseconds, bootID: "boot")
    while let batch = ledger.takeBatch(clock: clock) { store.commit(batch) }
  }

  /// The process ends at once, and another one starts from what is durable.
  func crash() throws {
    ledger = try store.restored(rules: ledger.rules, epoch: ledger.epoch + 1, at: now)
  }

  /// The only registration of the only device, of a ledger that has no more.
  func onlyRegistration() throws -> RegistrationState { try #require(ledger.registrations.first) }

  static func row(_ registration: RegistrationState) -> [UInt8] {
    let writer = ByteWriter()
    registration.encodeRow(into: writer)
    return writer.bytes
  }
}

extension PushVerdict {
  /// The counts, where the push was accepted.
  var tally: Tally? {
    guard case .accepted(let tally, _) = self else { return nil }
    return tally
  }
}
