package import BudgetThrottle
package import TokenStore

/// One app on one device: its token, its widgets and what the ledger remembers of each. Loop-bound.
package final class RegistrationState {
  /// Its row in the store; never reused while a journal record may name it.
  package let id: UInt64
  package let app: App
  package unowned let device: DeviceState
  package internal(set) var token: DeviceToken
  package internal(set) var environment: GatewayEnvironment
  /// false once the app was removed; budgets of its widgets wait in `left`.
  package internal(set) var isActive = true
  /// In the device's order. One array for all registrations with equal lists.
  package internal(set) var widgets: [Widget] = []
  /// As many as `widgets`, in their order.
  package internal(set) var states: [WidgetState] = []
  package internal(set) var left: [LeftCell] = []
  /// The pushes that some mark or hand-over still names; rarely more than one.
  package internal(set) var contents: [PushContent] = []
  package internal(set) var recent = RecentPushes()

  // Not stored. The order is that of size: there are a million of these.
  /// Which set of policies `states` refer to.
  var policyGeneration: UInt32 = 0
  /// The deadline queue's, and written by nobody else: when to look again, `.distantFuture` while there is no entry,
  /// and where the entry stands.
  var wakeSlot: UInt32 = 0
  var wakeAt = LedgerTime.distantFuture
  /// When the flood limit's bucket would be empty again; microseconds of ledger time.
  var floodLevelAt: Int64 = .min
  /// The first journal position since its row was last written; nil while the row is current.
  var dirtySince: UInt64?
  /// Its row is to be written with the next commit.
  var isUrgent = false
  /// Something in the trail may be about it; a change of what it shows is then noted there.
  package internal(set) var isInTrail = false
  /// Place in the ledger's list of all.
  var place: UInt32 = 0

  init(id: UInt64, app: App, device: DeviceState, environment: GatewayEnvironment, token: DeviceToken) {
    self.id = id
    self.app = app
    self.device = device
    self.environment = environment
    self.token = token
  }

  func content(of number: UInt64) -> PushContent? { contents.first { $0.number == number } }

  /// Keeps only what some widget still names.
  func pruneContents() {
    guard !contents.isEmpty else { return }
    contents.removeAll { content in
      !states.contains { $0.mark?.number == content.number || $0.inFlight?.number == content.number }
    }
  }

  package var waitingCount: Int { states.reduce(0) { $0 + ($1.mark == nil ? 0 : 1) } }
}
