import BudgetThrottle
@testable import GatewayCore
import SeededRandom
import Testing
import TokenStore

/// Plays a small world against a ledger, step by step, from one seed, and holds a plain account of its own of what
/// each step may have done. `+Steps` plays, `+Checks` compares.
///
/// A few devices, apps, tokens and kinds, so that everything meets everything.
final class LedgerSimulation {
  /// What the simulation knows of a device, in the device's place.
  struct Endpoint {
    var session: SessionID?
    /// The stream has taken all that it was given.
    var isEmpty = false
    var foreground: BundleID?
    var appSession: DeviceState.AppSession?
    var isAsleep = false
    var lastSeen: EventID?
  }

  /// One app on one device as the simulation holds it: plain, and without the ledger's help.
  struct Account {
    var device: DeviceID
    var app: BundleID
    var environment: GatewayEnvironment
    var token: DeviceToken
    var isActive = true
    var widgets: [Widget]
    /// The last eight accepted ids, oldest first.
    var accepted: [PushID] = []
  }

  struct TokenKey: Hashable {
    var token: DeviceToken
    var environment: GatewayEnvironment
  }

  /// Equal widgets of one app: what a removed and re-added widget shares its budget with.
  struct Group: Hashable {
    var device: DeviceID
    var app: BundleID
    var kind: String
    var family: WidgetFamily
  }

  struct Spending {
    var charges: [LedgerTime] = []
    var mostAtOnce = 0
    /// The largest b and the largest L − b of all policies that the group was under.
    var burst = 0
    var refill = 0
  }

  static let apps = ["caffeine", "tea", "water"].compactMap { BundleID("com.example.\($0)") }
  static let tokens = (UInt8(1)...10).compactMap { DeviceToken(bytes: [UInt8](repeating: $0, count: 1 + Int($0) * 7)) }
  static let kinds = ["cup", "pot", "bean"]

  var random: SeededGenerator
  var ledger: Ledger
  var store = StoreModel()
  var now = LedgerTime(milliseconds: 1_772_000_000_000)
  let journalTarget: Int

  var endpoints: [DeviceID: Endpoint] = [:]
  var accounts: [UInt64: Account] = [:]
  var retired: [TokenKey: (device: DeviceID, app: BundleID, forgotten: LedgerTime)] = [:]
  var grants: [DeveloperModeSubject: LedgerTime] = [:]
  var spendings: [Group: Spending] = [:]
  var nextDevice: UInt64 = 1
  var nextSession: UInt64 = 1
  var nextPush: UInt64 = 1
  var recentIDs: [PushID] = []

  /// What the steps reached, so that a simulation which plays nothing fails.
  var reached: [String: Int] = [:]

  var wall: UnixTime { UnixTime(milliseconds: now.milliseconds) }
  var clock: StoredClock {
    StoredClock(ledger: now.milliseconds, boot: now.milliseconds, wall: wall.milliseconds, bootID: "boot")
  }

  init(seed: UInt64) {
    random = SeededGenerator(seed: seed)
    journalTarget = [200, 2000, BatchBuilder.journalTarget].randomElement(using: &random) ?? 2000
    ledger = Ledger(
      rules: LedgerRules(), epoch: 7, decisionCapacity: random.oneIn(4) ? 0 : 64, journalTarget: journalTarget)
    ledger.change(anyRules(), at: now)
  }

  func device(_ id: DeviceID) throws -> DeviceState { try #require(ledger.devices[id]) }

  func registration(_ id: UInt64) throws -> RegistrationState {
    try #require(ledger.registrations.first { $0.id == id })
  }

  func count(_ what: String) { reached[what, default: 0] += 1 }

  // MARK: Rules

  func anyRules() -> LedgerRules {
    var rules = LedgerRules()
    rules.budget.standard = anyPolicy()
    rules.budget.overBudget = random.oneIn(4) ? .reject : .defer
    for kind in Self.kinds where random.oneIn(2) {
      var override = BudgetPolicySet.Override(kind: kind)
      let policy = anyPolicy()
      override.mode = policy.mode
      override.refreshesPerDay = policy.refreshesPerDay
      override.burst = policy.burst
      override.minimumInterval = policy.minimumInterval
      rules.budget.overrides.append(override)
    }
    rules.developerMode.allowed = !random.oneIn(5)
    rules.lowPriorityWindow = [0, 2000, 60_000].randomElement(using: &random) ?? 2000
    rules.retention = [3_600_000, 40 * 3_600_000].randomElement(using: &random) ?? 3_600_000
    rules.pushesPerTokenPerMinute = random.oneIn(3) ? 2 : 0
    return rules
  }

  private func anyPolicy() -> BudgetPolicy {
    let limit = Int.random(in: 1...8, using: &random)
    return BudgetPolicy(
      mode: random.oneIn(6) ? .shadow : random.oneIn(8) ? .off : .enforce, refreshesPerDay: limit,
      burst: Int.random(in: 1...max(1, limit - 1), using: &random),
      minimumInterval: random.oneIn(3) ? (random.oneIn(2) ? 300_000 : 3_600_000) : 0)
  }

  func policy(of widget: Widget, app: BundleID) -> BudgetPolicy {
    ledger.rules.budget.policy(
      bundleID: app.description, kind: widget.kind, family: widget.family.rawValue, platform: "iOS")
  }

  /// Takes the rules in force into each group's bounds, also where no widget is placed just now.
  func noteBounds() {
    for account in accounts.values where account.isActive {
      for (widget, equals) in Dictionary(grouping: account.widgets, by: { Widget(kind: $0.kind, family: $0.family) }) {
        let group = Group(device: account.device, app: account.app, kind: widget.kind, family: widget.family)
        let most = spendings[group]?.mostAtOnce ?? 0
        spendings[group, default: Spending()].mostAtOnce = max(most, equals.count)
      }
    }
    for (group, spending) in spendings {
      let policy = policy(of: Widget(kind: group.kind, family: group.family), app: group.app)
      let burst = policy.refreshesPerDay == 1 ? 1 : policy.burst
      spendings[group]?.burst = max(spending.burst, burst)
      spendings[group]?.refill = max(spending.refill, policy.refreshesPerDay - burst)
    }
  }

  /// How a hand-over of this widget is to be paid for, by the plain account.
  func toll(of widget: Widget, in account: Account) -> RefreshDecision.Toll {
    let endpoint = endpoints[account.device] ?? Endpoint()
    if endpoint.foreground == account.app || endpoint.appSession?.app == account.app { return .exempt }
    let isGranted = [.app(account.app), .device(account.device)].contains { subject in
      (grants[subject] ?? .distantPast) > now
    }
    if ledger.rules.developerMode.allowed, isGranted, account.environment == .development { return .bypassed }
    switch policy(of: widget, app: account.app).mode {
    case .enforce: return .charged
    case .shadow: return .counted
    case .off: return .uncounted
    }
  }
}
