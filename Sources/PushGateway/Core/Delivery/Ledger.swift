package import BudgetThrottle
package import TokenStore

/// Holds every registration and makes every decision, with time as an argument: no clock, no socket, no store.
///
/// A call decides, applies what it decided at once, and leaves two things to be fetched: what must become durable
/// (``takeBatch(clock:)``) and what may go to devices after that (``moveDeliveries(to:)``). Whoever owns the ledger lets
/// neither an answer nor a delivery out before the batch that was being gathered when it arose is durable.
///
/// Loop-bound and not Sendable. All times are ledger time; see ``LedgerTime``.
package final class Ledger {
  package let epoch: UInt64
  package internal(set) var rules: LedgerRules { didSet { gist = RulesGist(rules) } }
  package var counters: LedgerCounters { counts }
  /// Of all registrations together.
  package var widgetCounts: WidgetCounts { widgets }
  package internal(set) var developerMode: DeveloperMode
  package internal(set) var audit = Audit()
  /// Refreshes that developer mode let through, by its grant, until the log has said so.
  package internal(set) var bypasses: [DeveloperMode.Grant: Int] = [:]
  package let trail: Trail
  package let batch: BatchBuilder

  package internal(set) var devices = DeviceIndex()
  /// Every registration, removed apps included.
  package internal(set) var registrations = RegistrationList()
  package internal(set) var attachedCount = 0
  package let index = TokenIndex()
  var presence: [BundleID: AppPresence] = [:]
  package internal(set) var retired = RetiredTokens()
  /// So many retired tokens are kept in any case, however few registrations there are.
  var retiredAtLeast = 65_536
  package internal(set) var deadlines = DeadlineQueue()
  package let fanOuts = FanOutTable()

  var apps: [BundleID: App] = [:]
  var models: Set<DeviceModel> = []
  var devicesByKey: [UInt64: Int] = [:]
  var widgetLists: Set<[Widget]> = []

  /// Interned policies; `WidgetAccount.policy` is an index in here. Only grows, by as many as a reload brings new ones.
  private var policies: [BudgetPolicy] = []
  /// Counts changes of the policies, over restarts too.
  var policyGeneration: UInt32 = 1
  /// Which generations the store holds beside the one in force, since not every registration has left them yet.
  var oldGenerations: Set<UInt32> = []
  /// The walk over all registrations that a change of rules or a grant started; nil when none is going on.
  var sweepWalk: RegistrationWalk?
  /// The walk that forgets removed apps, a part at a time.
  var tidyWalk: RegistrationWalk?

  package internal(set) var nextNumber: UInt64 {
    get { upcomingNumber }
    set { upcomingNumber = newValue }
  }
  package internal(set) var nextSequence: UInt64 = 1
  var nextDeviceNumber: UInt64 = 1
  var nextRegistrationID: UInt64 = 1
  /// Of devices that have switched developer mode lately.
  var switchAllowances: [DeviceID: SpacedAllowance] = [:]
  var pendingDeliveries: [Delivery] = []

  // What each push touches lies in objects of its own, or in storage that other modules do not see and that holds plain
  // values: where the compiler can prove that no two accesses overlap, none is checked at run time.
  private(set) var gist: RulesGist
  var counts = LedgerCounters()
  var widgets = WidgetCounts()
  private var upcomingNumber: UInt64 = 1

  /// - Parameters:
  ///   - epoch: this start's epoch, already durable.
  ///   - sequence: the last journal position in the store.
  ///   - decisionCapacity: decisions kept for `explain`; nil: as the rules say.
  ///   - journalTarget: bytes about which the journal settles under load; see ``BatchBuilder/journalTarget``.
  package init(
    rules: LedgerRules, epoch: UInt64, following sequence: UInt64 = 0, decisionCapacity: Int? = nil,
    journalTarget: Int = BatchBuilder.journalTarget
  ) {
    var rules = rules
    if let decisionCapacity { rules.explain.decisions = decisionCapacity }
    self.rules = rules
    gist = RulesGist(rules)
    self.epoch = epoch
    developerMode = DeveloperMode(rules: rules.developerMode)
    trail = Trail(rules: rules.explain, epoch: epoch)
    batch = BatchBuilder(following: sequence, target: journalTarget)
  }

  // MARK: What the owner fetches

  /// What must become durable next; nil when there is nothing.
  /// - Parameter isLast: also where what was decided has no other change to go along with.
  package func takeBatch(clock: StoredClock, isLast: Bool = false) -> StoreBatch? {
    writeFanOuts()
    guard
      var taken = batch.take(
        clock: clock, among: registrations, evenIfEmpty: isLast ? !trail.isOpenEmpty : trail.isUrgent)
    else { return nil }
    taken.trail = trail.close(at: taken.sequence)
    taken.trimTrailBelow = trail.trimBelow
    return taken
  }

  package var hasDeliveries: Bool { !pendingDeliveries.isEmpty }

  /// Appends everything that arose since the last call, in order.
  package func moveDeliveries(to buffer: inout [Delivery]) {
    buffer.append(contentsOf: pendingDeliveries)
    pendingDeliveries.removeAll(keepingCapacity: true)
  }

  // MARK: Shared by all parts

  func commit(_ record: LedgerRecord, to registration: RegistrationState) {
    change(registration) { $0.apply(record) }
    batch.append(record, for: registration)
  }

  /// Whatever changes marks, hand-overs or the number of widgets goes through here, and is counted.
  @inline(__always)
  func change(_ registration: RegistrationState, _ change: (RegistrationState) -> Void) {
    let before = registration.widgetCounts
    change(registration)
    widgets.subtract(before)
    widgets.add(registration.widgetCounts)
  }

  func record(
    _ outcome: Decision.Outcome, _ push: PushContent, _ widgets: WidgetSet, of registration: RegistrationState,
    at now: LedgerTime
  ) {
    guard gist.explain.keeps(registration.heldEnvironment), !widgets.isEmpty || outcome == .duplicate else { return }
    registration.isTraced = true
    trail.append(
      outcome, Decision.Push(number: push.number, id: push.id), widgets, of: registration.id, at: now)
  }

  func app(_ bundleID: BundleID) -> App {
    if let known = apps[bundleID] { return known }
    let app = App(bundleID)
    apps[bundleID] = app
    return app
  }

  package func policy(_ index: UInt32) -> BudgetPolicy {
    Int(index) < policies.count ? policies[Int(index)] : gist.standardPolicy
  }

  /// - Parameter set: the policies in force when nil.
  func policyIndex(
    kind: String, family: WidgetFamily, of registration: RegistrationState, in set: BudgetPolicySet? = nil
  ) -> UInt32 {
    let policy = (set ?? rules.budget).policy(
      bundleID: registration.app.bundleID.description, kind: kind, family: family.rawValue,
      platform: registration.device.platform.rawValue)
    if let known = policies.firstIndex(of: policy) { return UInt32(known) }
    var more = policies + [policy]
    swap(&more, &policies)
    return UInt32(policies.count - 1)
  }

  func conditions(of registration: RegistrationState, at now: LedgerTime) -> DeliveryConditions {
    let isBypassed = isBypassed(registration, at: now)
    guard registration.isDeviceAttached else {
      return DeliveryConditions(isBypassed: isBypassed, lowPriorityWindow: gist.lowPriorityWindow)
    }
    let device = registration.device
    return DeliveryConditions(
      isExempt: device.isExempt(registration.app.bundleID), isBypassed: isBypassed, isAsleep: device.isAsleep,
      lowPriorityWindow: gist.lowPriorityWindow)
  }

  /// Whether developer mode lifts its budgets.
  package func isBypassed(_ registration: RegistrationState, at now: LedgerTime) -> Bool {
    guard registration.heldEnvironment == .development, !developerMode.grants.isEmpty else { return false }
    return developerMode.isActive(app: registration.app.bundleID, device: registration.device.id, at: now)
  }

  /// Brings a registration's cells under the rules in force, those of removed widgets too. Every touch goes through
  /// here first, so that a change counts at once, wherever the walk over all of them stands.
  /// - Returns: whether anything is different for it.
  @discardableResult
  func refreshPolicies(of registration: RegistrationState, at now: LedgerTime) -> Bool {
    guard registration.policyGeneration != policyGeneration else { return false }
    registration.policyGeneration = policyGeneration
    var changed = false
    registration.changeAccounts { accounts in
      for position in accounts.indices {
        let old = accounts[position].policy
        let widget = registration.widgets[position]
        let new = policyIndex(kind: widget.kind, family: widget.family, of: registration)
        guard new != old else { continue }
        accounts[position].cell.adopt(policy(new), from: policy(old), at: now)
        accounts[position].policy = new
        changed = true
      }
    }
    for place in registration.left.indices {
      let left = registration.left[place]
      let new = policyIndex(kind: left.kind, family: left.family, of: registration)
      guard new != left.policy else { continue }
      registration.left[place].cell.adopt(policy(new), from: policy(left.policy), at: now)
      registration.left[place].policy = new
      changed = true
    }
    if changed { batch.writeNow(registration) }
    return changed
  }
}
