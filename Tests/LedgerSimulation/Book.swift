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

  var endpoints: [DeviceID: Endpoint] = [:]
  var accounts: [UInt64: Account] = [:]
  var retired: [RetiredToken.Key: (device: DeviceID, app: BundleID, forgotten: LedgerTime)] = [:]
  var grants: [DeveloperModeSubject: LedgerTime] = [:]
  /// Charged hand-overs of the last days, oldest first.
  var charges: [Group: [Charge]] = [:]

  mutating func retire(_ account: Account, until forgotten: LedgerTime) {
    let key = RetiredToken.Key(token: account.token, environment: account.environment)
    retired[key] = (account.device, account.app, forgotten)
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
