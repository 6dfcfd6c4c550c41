import BudgetThrottle
import GatewayCore
import TokenStore

/// The simulation's own account of the world: plain, and kept without the ledger's help. A value, so that a crash
/// takes it back to what it was at the last commit.
struct Book {
  /// What the simulation knows of a device, in the device's place.
  struct Endpoint {
    var platform: Platform
    var session: SessionID?
    /// The stream has taken all that it was given.
    var isEmpty = false
    var foreground: BundleID?
    var appSession: DeviceState.AppSession?
    var isAsleep = false

    /// The stream is gone, and with it what the device said of itself.
    mutating func end() { self = Endpoint(platform: platform) }
  }

  /// One app on one device.
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

  /// Widgets that share their budgets when one goes and another comes.
  struct Group: Hashable {
    var device: DeviceID
    var app: BundleID
    var kind: String
    var family: WidgetFamily
  }

  struct Charge {
    var at: LedgerTime
    var lived: Int64
  }

  /// A fan-out, played along with by the words of its documentation.
  struct FanOut {
    var order: FanOutOrder
    var number: UInt64
    var acceptedAt: LedgerTime
    /// Who was there when it was accepted, and is still.
    var candidates: Set<UInt64>
    /// Who has been met, whether it was for them or not, up to this id.
    var passed: UInt64 = 0
    var state = GatewayCore.FanOut.State.running
    var counts = FanOutCounts()
  }

  var endpoints: [DeviceID: Endpoint] = [:]
  var accounts: [UInt64: Account] = [:]
  var retired: [RetiredToken.Key: (device: DeviceID, app: BundleID, forgotten: LedgerTime)] = [:]
  var grants: [DeveloperModeSubject: LedgerTime] = [:]
  /// Charged hand-overs of the last days, oldest first.
  var charges: [Group: [Charge]] = [:]
  var fanOuts: [CanonicalUUID: FanOut] = [:]
  /// Apps with fan-outs under way, in the order in which their turns come.
  var turns: [BundleID] = []

  mutating func retire(_ account: Account, until forgotten: LedgerTime) {
    let key = RetiredToken.Key(token: account.token, environment: account.environment)
    retired[key] = (account.device, account.app, forgotten)
  }

  /// The running fan-outs of an app, the first accepted first.
  func running(of app: BundleID) -> [(id: CanonicalUUID, fanOut: FanOut)] {
    fanOuts.filter { $0.value.state == .running && $0.value.order.bundleID == app }
      .sorted { $0.value.number < $1.value.number }.map { ($0.key, $0.value) }
  }

  mutating func endFanOut(_ id: CanonicalUUID, as state: GatewayCore.FanOut.State) {
    fanOuts[id]?.state = state
    guard let app = fanOuts[id]?.order.bundleID, running(of: app).isEmpty else { return }
    turns.removeAll { $0 == app }
  }

  /// A start takes turns in the order of the numbers.
  mutating func beginTurnsAnew() {
    turns = []
    for fanOut in fanOuts.values.filter({ $0.state == .running }).sorted(by: { $0.number < $1.number })
    where !turns.contains(fanOut.order.bundleID) { turns.append(fanOut.order.bundleID) }
  }

  /// The registration is gone for good; its id may come again after a start.
  mutating func forget(_ account: UInt64) {
    accounts[account] = nil
    for id in fanOuts.keys { fanOuts[id]?.candidates.remove(account) }
  }

  func group(of widget: Widget, in account: Account) -> Group {
    Group(device: account.device, app: account.app, kind: widget.kind, family: widget.family)
  }

  func account(of app: BundleID, on device: DeviceID) -> (id: UInt64, account: Account)? {
    accounts.first { $0.value.device == device && $0.value.app == app }.map { ($0.key, $0.value) }
  }

  /// Whether the token may be registered by this app of this device.
  func isFree(
    _ token: DeviceToken, in environment: GatewayEnvironment, for device: DeviceID, app: BundleID, at now: LedgerTime
  ) -> Bool {
    for holder in accounts.values
    where holder.isActive && holder.token == token && holder.environment == environment {
      return holder.device == device && holder.app == app
    }
    guard let old = retired[RetiredToken.Key(token: token, environment: environment)], old.forgotten > now else {
      return true
    }
    return old.device == device && old.app == app
  }
}
