package import BudgetThrottle
package import TokenStore

/// One app on one device: its token, its widgets and what the ledger remembers of each. Loop-bound.
///
/// What each push looks at lies in storage that other modules do not see, and is changed by `swap` and nothing longer:
/// where the compiler can prove that no two accesses overlap, none is checked at run time.
package final class RegistrationState {
  /// Its row in the store; never reused while a journal record may name it.
  package let id: UInt64
  package let app: App
  package unowned let device: DeviceState
  var heldToken: DeviceToken
  var heldEnvironment: GatewayEnvironment
  /// false once the app was removed; budgets of its widgets wait in `left`.
  package internal(set) var isActive = true
  /// In the device's order. One array for all registrations with equal lists.
  package internal(set) var widgets: [Widget] = []
  private var heldAccounts = WidgetAccounts()
  /// nil until there is something to hold. Its own, and freed with it.
  private(set) var memory: Unmanaged<RegistrationMemory>?

  // Not stored. The order is that of size: there are a million of these.
  /// The first journal position since its row was last written; 0 while the row is current.
  private var firstDirtyPosition: UInt64 = 0
  /// Which set of policies `accounts` refer to.
  var policyGeneration: UInt32 = 0
  /// Place in the ledger's list of all.
  var place: UInt32 = 0
  /// Where its entry in the deadline queue stands; written by nobody else.
  var wakeSlot = DeadlineQueue.noSlot
  /// Its device has a stream. Known here too, and kept by the device alone: a push to one that is away, as most are,
  /// then need not look at the device.
  package internal(set) var isDeviceAttached: Bool {
    get { heldAttachment }
    set { heldAttachment = newValue }
  }
  private var heldAttachment = false
  /// Its row is to be written with the next commit.
  var isUrgent = false
  /// Something in the trail may be about it; a change of what it shows is then noted there.
  var isTraced = false

  init(id: UInt64, app: App, device: DeviceState, environment: GatewayEnvironment, token: DeviceToken) {
    self.id = id
    self.app = app
    self.device = device
    heldEnvironment = environment
    heldToken = token
  }

  deinit { memory?.release() }

  package internal(set) var token: DeviceToken {
    get { heldToken }
    set { heldToken = newValue }
  }
  package internal(set) var environment: GatewayEnvironment {
    get { heldEnvironment }
    set { heldEnvironment = newValue }
  }
  package var isInTrail: Bool { isTraced }

  /// As many as `widgets`, in their order.
  package var accounts: WidgetAccounts { heldAccounts }

  func changeAccounts(_ change: (inout WidgetAccounts) -> Void) {
    var accounts = WidgetAccounts()
    swap(&accounts, &heldAccounts)
    change(&accounts)
    swap(&accounts, &heldAccounts)
  }

  /// The first journal position since its row was last written; nil while the row is current.
  var dirtySince: UInt64? {
    get { firstDirtyPosition == 0 ? nil : firstDirtyPosition }
    set { firstDirtyPosition = newValue ?? 0 }
  }

  /// What it holds once there is something to hold; there is from now on.
  func remember() -> Unmanaged<RegistrationMemory> {
    if let memory { return memory }
    let new = Unmanaged.passRetained(RegistrationMemory())
    memory = new
    return new
  }

  var standing: StandingPushes { memory?._withUnsafeGuaranteedRef { $0.standing } ?? StandingPushes() }

  /// The last accepted pushes.
  package var recent: RecentPushes { memory?._withUnsafeGuaranteedRef { $0.recent } ?? RecentPushes() }

  func hasSeen(_ digest: UInt64) -> Bool {
    memory?._withUnsafeGuaranteedRef { $0.recent.contains(digest) } ?? false
  }

  package internal(set) var left: [LeftCell] {
    get { memory?._withUnsafeGuaranteedRef { $0.left } ?? [] }
    set {
      if memory == nil, newValue.isEmpty { return }
      remember()._withUnsafeGuaranteedRef { $0.left = newValue }
    }
  }

  /// As ``StandingPushes/forEachMark(_:)``, without a copy of them. `body` changes nothing there.
  @inline(__always)
  func forEachMark(_ body: (Mark, WidgetSet) -> Void) { memory?._withUnsafeGuaranteedRef { $0.forEachMark(body) } }

  /// A push that some mark or hand-over names.
  func content(of number: UInt64) -> PushContent? { memory?._withUnsafeGuaranteedRef { $0.content(of: number) } }

  /// The pushes that some mark or hand-over still names, oldest first; rarely more than one.
  package var contents: [PushContent] {
    let standing = standing
    guard standing.count > 1 else { return standing.map(\.content) }
    var contents: [PushContent] = []
    for push in standing where !contents.contains(where: { $0.number == push.content.number }) {
      contents.append(push.content)
    }
    return contents.sorted { $0.number < $1.number }
  }

  /// One widget, as it stands.
  package func state(of widget: Int) -> WidgetState {
    let standing = standing
    return WidgetState(
      accounts[widget], mark: standing.mark(of: widget), inFlight: standing.inFlight(of: widget))
  }

  /// As many as `widgets`, in their order. For those who look at one registration; an array is made each time.
  package var states: [WidgetState] { accounts.indices.map { state(of: $0) } }

  /// What the store held.
  func setWidgets(_ widgets: [Widget], _ accounts: WidgetAccounts) {
    self.widgets = widgets
    heldAccounts = accounts
  }

  /// Another list of widgets.
  /// - Parameter contents: at least what `states` name.
  func replace(_ widgets: [Widget], _ states: [WidgetState], naming contents: [PushContent]) {
    self.widgets = widgets
    changeAccounts { $0 = WidgetAccounts(states.map(\.account)) }
    var standing = StandingPushes()
    for (place, state) in states.enumerated() {
      let widget = WidgetSet(only: place)
      if let mark = state.mark, let content = contents.first(where: { $0.number == mark.number }) {
        standing.add(StandingPush(content: content, widgets: widget, role: .marks(mark)))
      }
      if let flight = state.inFlight, let content = contents.first(where: { $0.number == flight.number }) {
        standing.add(StandingPush(content: content, widgets: widget, role: .inFlight(flight)))
      }
    }
    if memory != nil || !standing.isEmpty {
      remember()._withUnsafeGuaranteedRef { $0.changeStanding { $0 = standing } }
    }
  }

  package var widgetCounts: WidgetCounts {
    memory?._withUnsafeGuaranteedRef { $0.counts(among: heldAccounts.count) }
      ?? WidgetCounts(heldAccounts.count, StandingPushes())
  }

  package var waitingCount: Int { widgetCounts.waiting }
  package var inFlightCount: Int { widgetCounts.inFlight }
}
