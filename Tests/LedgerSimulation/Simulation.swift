import BudgetThrottle
package import GatewayCore
import SeededRandom
import TokenStore

/// Plays a small world against a ledger, from one seed, for some weeks of its own time, and compares after each step
/// with a plain account of what that step may have done.
///
/// A few devices, apps, tokens and kinds, so that everything meets everything. `+Devices`, `+Pushes`, `+FanOuts`,
/// `+Operators` and `+Machine` play, `+Checks` and its neighbours compare.
package final class Simulation {
  static let apps = ["caffeine", "tea", "water"].compactMap { BundleID("com.example.\($0)") }
  static let tokens = (UInt8(1)...10).compactMap { DeviceToken(bytes: [UInt8](repeating: $0, count: 1 + Int($0) * 7)) }
  static let kinds = ["cup", "pot", "bean"]
  static let families: [WidgetFamily] = [.systemSmall, .accessoryCircular]
  static let day: Int64 = 86_400_000
  private static let trailLength = 12

  let seed: UInt64
  var random: SeededGenerator
  package var ledger: Ledger
  let journalTarget: Int

  // The world.
  var machine = Machine()
  var clock: LedgerClock
  var store = StoreModel()
  var line = CommitLine()
  /// What each device has read last. Nothing of the gateway's takes it back.
  var lastSeen: [DeviceID: EventID] = [:]
  /// Events that were decided and have not left yet, by the stream that they are for.
  var owed: [SessionID: Int] = [:]
  /// Streams whose device is gone, and whose end the gateway has not noticed.
  var unread: Set<SessionID> = []
  var promises = Promises()
  /// Decided in this step, not yet part of a batch.
  var pendingDeliveries: [Delivery] = []
  /// The world as of the last commit.
  var durable: (book: Book, image: LedgerImage, lived: Int64)?
  /// Everything is read, nothing dies any more.
  var isSettling = false
  /// When, in the time that the world has lasted, a reboot gave the ledger more time than had passed.
  var gifts: [Int64] = []

  // The account.
  var book = Book()
  var plain: PlainRules

  var nextDevice: UInt64 = 1
  var nextSession: UInt64 = 1
  var nextPush: UInt64 = 1
  var nextFanOut: UInt64 = 1
  var recentIDs: [PushID] = []
  /// Time still to pass, waking the ledger as the daemon's timer would.
  var goal: LedgerTime?
  /// A registration that several senders are pushing to at once, and how many pushes are still to come.
  var rush: (registration: UInt64, pushes: Int)?
  /// A client that was told to wait, and until when.
  var patience: (registration: UInt64, until: LedgerTime)?

  var step = 0
  var trail: [String] = []
  private let isTraced: Bool
  /// What the steps reached, so that a simulation which plays nothing fails.
  package private(set) var reached: [String: Int] = [:]

  package init(seed: UInt64, isTraced: Bool = false) {
    self.seed = seed
    self.isTraced = isTraced
    random = SeededGenerator(seed: seed)
    journalTarget = [200, 2000, BatchBuilder.journalTarget].randomElement(using: &random) ?? 2000
    clock = LedgerClock(continuing: nil, bootID: machine.bootID, boot: machine.boot, wall: machine.wall)
    let rules = Self.anyRules(&random)
    plain = PlainRules(rules, at: clock.time(boot: machine.boot))
    ledger = Ledger(
      rules: rules, epoch: 7, journalTarget: journalTarget)
    Ledger.Restore(into: ledger).finish(at: clock.time(boot: machine.boot))
  }

  var now: LedgerTime { clock.time(boot: machine.boot) }
  var wall: UnixTime { machine.wallTime }
  package var simulatedDays: Double { Double(machine.lived) / Double(Self.day) }
  package var steps: Int { step }

  /// - Throws: the first ``Finding``.
  package func play(days: Int64) throws {
    while machine.lived < days * Self.day { try playStep() }
    try settle()
  }

  private func playStep() throws {
    step += 1
    let before = Snapshot(ledger)
    let effect = try perform()
    try check(effect, since: before)
    if random.oneIn(2) { try submit() }
    if random.oneIn(2) { try makeDurable(atMost: 2) }
  }

  private func perform() throws -> Effect {
    if let rush, rush.pushes > 0 { return try pushInRush() }
    if let patience, goal == nil { return try pushPatiently(patience) }
    if goal != nil { return passTime() }
    switch Int.random(in: 0..<1000, using: &random) {
    case 0..<35: return enrol()
    case 35..<105: return try register()
    case 105..<120: return try removeApp()
    case 120..<126: return try leave()
    case 126..<196: return try attach()
    case 196..<220: return try detach()
    case 220..<370: return try emptyOutput()
    case 370..<440: return try sendReceipt()
    case 440..<640: return try push()
    case 640..<652: return try beginFanOut()
    case 652..<688: return try advanceFanOuts()
    case 688..<690: return try cancelFanOut()
    case 690..<704: return startRush()
    case 704..<740: return sweep()
    case 740..<756: return changeRules()
    case 756..<780: return try toggleDeveloperMode()
    case 780..<840: return try say()
    case 840..<848: return tidy()
    case 848..<853: return try resetBudgets()
    case 853..<869: return try crash()
    case 869..<879: return try stepWall()
    case 879..<905: return try ask()
    default: return startWaiting()
    }
  }

  // MARK: What is told

  func tell(_ what: @autoclosure () -> String) {
    let line = "\(step): \(what())"
    trail.append(line)
    if trail.count > Self.trailLength { trail.removeFirst() }
    if isTraced { print(line) }
  }

  func count(_ what: String) { reached[what, default: 0] += 1 }

  func hold(_ condition: Bool, _ invariant: Invariant, _ detail: @autoclosure () -> String) throws {
    if !condition { throw finding(invariant, detail()) }
  }

  func finding(_ invariant: Invariant, _ detail: String) -> Finding {
    Finding(seed: seed, step: step, day: simulatedDays, invariant: invariant, detail: detail, trail: trail)
  }

  // MARK: Looking things up

  func device(_ id: DeviceID) throws -> DeviceState {
    guard let device = ledger.devices[id] else { throw finding(.durable, "device \(id) is gone") }
    return device
  }

  func registration(_ id: UInt64) throws -> RegistrationState {
    guard let registration = ledger.registrations.first(where: { $0.id == id }) else {
      throw finding(.durable, "registration \(id) is gone")
    }
    return registration
  }

  func anyDevice() -> DeviceID? {
    book.endpoints.keys.sorted { $0.uuid.low < $1.uuid.low }.randomElement(using: &random)
  }

  func anyAccount() -> UInt64? {
    book.accounts.keys.filter { book.accounts[$0]?.isActive == true }.sorted().randomElement(using: &random)
  }

  /// The policy that a widget is to have.
  func policy(of widget: Widget, in account: Book.Account) -> BudgetPolicy {
    plain.policy(
      of: book.group(of: widget, in: account), book.endpoints[account.device]?.platform ?? .iOS)
  }

  /// How a hand-over of this widget is to be paid for.
  func toll(of widget: Widget, in account: Book.Account) -> RefreshDecision.Toll {
    if let endpoint = book.endpoints[account.device],
      endpoint.foreground == account.app || endpoint.appSession?.app == account.app
    {
      return .exempt
    }
    let isGranted = [.app(account.app), .device(account.device)].contains { subject in
      (book.grants[subject] ?? .distantPast) > now
    }
    if plain.rules.developerMode.allowed, isGranted, account.environment == .development { return .bypassed }
    switch policy(of: widget, in: account).mode {
    case .enforce: return .charged
    case .shadow: return .counted
    case .off: return .uncounted
    }
  }
}
