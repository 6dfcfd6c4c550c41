import BudgetThrottle
import GatewayCore
import TokenStore

/// What the ledger costs, without a store.
enum LedgerParts {
  static func measure(with meter: inout Meter) {
    measureBudget(with: &meter)
    measureRecord(with: &meter)
    measureLedger(with: &meter)
  }

  private static let start = LedgerTime(milliseconds: 1_772_000_000_000)

  private static func measureBudget(with meter: inout Meter) {
    let policy = BudgetPolicy(refreshesPerDay: 50, minimumInterval: 300_000)
    let conditions = DeliveryConditions()
    let mark = Mark(number: 1, expires: .distantFuture, first: start, priority: .immediate)
    var cell = BudgetCell.full(under: policy, at: start)
    var now = start
    meter.measure("budget, decided and charged", rounds: 5_000_000) {
      now = now.advanced(byMilliseconds: 97)
      guard case .handOver = mark.decide(with: cell, at: now, under: policy, given: conditions) else { return }
      cell.charge(at: now, under: policy)
    }
    var tokens = 0
    meter.measure("budget, peeked at", rounds: 5_000_000) {
      now = now.advanced(byMilliseconds: 97)
      tokens &+= cell.remaining(at: now, under: policy)
    }
  }

  private static func measureRecord(with meter: inout Meter) {
    let writer = ByteWriter(reserving: 1 << 16)
    let record = LedgerRecord.pushed(
      LedgerRecord.PushRecord(
        content: PushContent(number: 1_000_000, id: pushID(7), payload: nil), marked: WidgetSet(first: 2),
        dropped: WidgetSet(), expires: start.advanced(byMilliseconds: 86_400_000), priority: .immediate, at: start))
    meter.measure("journal record of a push, encoded", rounds: 5_000_000) {
      if writer.count > 60_000 { writer.removeAll() }
      record.encode(for: 50_000, into: writer)
    }
  }

  /// A hundred thousand registrations with two widgets each, of devices that are away, taken in an order that no cache
  /// foresees.
  private static func measureLedger(with meter: inout Meter) {
    let count = 100_000
    let ledger = Ledger(rules: LedgerRules(pushesPerTokenPerMinute: 0), epoch: 1)
    guard let bundleID = BundleID("com.example.caffeine") else { preconditionFailure("A bundle ID that is one.") }
    let widgets = [
      Widget(kind: "caffeine", family: .systemSmall), Widget(kind: "caffeine", family: .systemMedium),
    ]
    let scope = DeviceScope(keyFingerprint: 1, bundleIDs: [], environments: GatewayEnvironment.allCases)
    var tokens: [DeviceToken] = []
    for number in 0..<UInt64(count) {
      let bytes = (0..<32).map { UInt8(truncatingIfNeeded: (number &* 0x9E37_79B9_7F4A_7C15) >> UInt64($0)) }
      guard let token = DeviceToken(bytes: bytes) else { preconditionFailure("32 bytes are a token.") }
      tokens.append(token)
      let device = ledger.enrol(
        id: DeviceID(CanonicalUUID(high: number, low: 1)), keyHash: [UInt8](repeating: 1, count: 32), platform: .iOS,
        os: "26.1", scope: scope, at: start)
      let change = Ledger.RegistrationChange(
        bundleID: bundleID, environment: number.isMultiple(of: 2) ? .development : .production, token: token,
        freshToken: token, widgets: widgets)
      _ = try? ledger.register(change, for: device, at: start, wall: UnixTime(milliseconds: start.milliseconds))
    }
    _ = ledger.takeBatch(clock: clock)

    var place = 0
    func next(_ environment: GatewayEnvironment) -> DeviceToken {
      place = (place + 31_337 * 2) % count
      return tokens[place + (environment == .production ? 1 : 0)]
    }
    var found = 0
    meter.measure("ledger, a registration by its token", rounds: 1_000_000) {
      if ledger.index.find(next(.production), in: .production) != nil { found += 1 }
    }
    for environment in GatewayEnvironment.allCases {
      var number: UInt64 = 0
      var sinceCommit = 0
      meter.measure("ledger, a push marked and deferred, \(environment)", rounds: 200_000) {
        number += 1
        let push = IncomingPush(id: pushID(number), storage: .until(.distantFuture))
        _ = ledger.accept(push, for: next(environment), in: environment, bundleID: bundleID, at: start)
        sinceCommit += 1
        guard sinceCommit == 128 else { return }
        sinceCommit = 0
        _ = ledger.takeBatch(clock: clock)
      }
    }
  }

  private static func pushID(_ number: UInt64) -> PushID { PushID(CanonicalUUID(high: 5, low: number)) }

  private static var clock: StoredClock {
    StoredClock(ledger: start.milliseconds, boot: 0, wall: start.milliseconds, bootID: "")
  }
}
