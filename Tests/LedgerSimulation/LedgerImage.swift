import BudgetThrottle
import GatewayCore
import TokenStore

/// All of a ledger that must outlive a crash, as plain values.
struct LedgerImage {
  struct Registration: Equatable {
    var device: DeviceID
    var app: BundleID
    var environment: GatewayEnvironment
    var token: DeviceToken
    var isActive: Bool
    var widgets: [Widget]
    /// With `policy` taken out, which is an index that each start gives out anew.
    var states: [WidgetState]
    var left: [LeftCell]
    var contents: [PushContent]
    var recent: RecentPushes
  }

  struct FanOut: Equatable {
    var number: UInt64
    var key: FanOutOrder.Key
    var push: IncomingPush
    var filter: FanOutFilter
    var state: GatewayCore.FanOut.State
    var counts: FanOutCounts
    var passed: UInt64
    var acceptedAt: LedgerTime
  }

  var registrations: [UInt64: Registration] = [:]
  /// Policies of `states`, then of `left`.
  var policies: [UInt64: [BudgetPolicy]] = [:]
  var devices: [DeviceID: [UInt8]] = [:]
  var retired: [RetiredToken.Key: RetiredToken] = [:]
  var grants: [DeveloperModeSubject: DeveloperMode.Grant] = [:]
  var audit: [AuditEntry] = []
  var fanOuts: [CanonicalUUID: FanOut] = [:]

  init(_ ledger: Ledger) {
    for registration in ledger.registrations {
      var states = registration.states
      for place in states.indices { states[place].policy = 0 }
      var left = registration.left
      for place in left.indices { left[place].policy = 0 }
      registrations[registration.id] = Registration(
        device: registration.device.id, app: registration.app.bundleID, environment: registration.environment,
        token: registration.token, isActive: registration.isActive, widgets: registration.widgets, states: states,
        left: left, contents: registration.contents, recent: registration.recent)
      policies[registration.id] =
        registration.states.map { ledger.policy($0.policy) } + registration.left.map { ledger.policy($0.policy) }
    }
    for device in ledger.devices { devices[device.id] = device.keyHash }
    retired = ledger.retired.all
    grants = ledger.developerMode.grants.mapValues(\.grant)
    audit = Array(ledger.audit.remembered)
    for fanOut in ledger.fanOuts.all {
      fanOuts[fanOut.id] = FanOut(
        number: fanOut.number, key: fanOut.order.key, push: fanOut.order.push, filter: fanOut.order.filter,
        state: fanOut.state, counts: fanOut.counts, passed: fanOut.passed, acceptedAt: fanOut.acceptedAt)
    }
  }
}
