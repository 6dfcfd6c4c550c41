package import BudgetThrottle
package import TokenStore

/// One app on one device: its token, its widgets and what the ledger remembers of each. Loop-bound.
package final class RegistrationState {
  /// Its row in the store; never reused while a journal record may name it.
  package let id: UInt64
  package let app: App
  package unowned let device: DeviceState
  package internal(set) var environment: GatewayEnvironment
  package internal(set) var token: DeviceToken
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

  // Not stored.
  /// When the flood limit's bucket would be empty again; microseconds of ledger time.
  var floodLevelAt: Int64 = .min
  /// The deadline queue's, and written by nobody else: when to look again, `.distantFuture` while there is no entry,
  /// and where the entry stands.
  var wakeAt = LedgerTime.distantFuture
  var wakeSlot = 0
  /// Place in the ledger's list of all.
  var place = 0
  /// Which set of policies `states` refer to.
  var policyGeneration: UInt32 = 0
  /// The journal position that its stored row holds; compared at replay only.
  var asOf: UInt64 = 0
  /// The first journal position since its row was last written; nil while the row is current.
  var dirtySince: UInt64?
  /// Something in the trail may be about it; a change of what it shows is then noted there.
  package internal(set) var isInTrail = false
  /// Its row is to be written with the next commit.
  var isUrgent = false

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
