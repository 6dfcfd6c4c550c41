import BudgetThrottle
import GatewayCore
import GatewayIO
import TokenStore
import TokenStoreSQLite

/// The ledger's world: everything that decides, and what waits for the store. Born and dies on one thread, which is the
/// loop's where there is one loop, and its own where there are more. It knows no socket: what it asks of connections goes
/// through ``loops``.
///
/// A turn brings calls of loops and answers of the store; at its end the ledger is looked after, and what it decided goes
/// to the store as one batch.
final class LedgerWorker {
  enum Phase: Equatable {
    case serving
    /// Loops may go on for as long; boot milliseconds.
    case draining(until: Int64)
  }

  private enum Timer {
    static let wake: UInt64 = 1
    static let drain: UInt64 = 2
    static let tidy: UInt64 = 3
    static let more: UInt64 = 4
    static let watch: UInt64 = 5
  }

  /// How often old things are forgotten; milliseconds.
  private static let tidyPeriod: Int64 = 60_000

  let loop: EventLoop
  let ledger: Ledger
  let clock: LedgerClock
  let store: StoreThread
  let log: any GatewayLog
  let loops = LoopPorts()
  let gate: StoreGate
  /// Shared with the loops, which write it.
  let refusedPushes: RefusedPushLog
  private(set) var configuration: GatewayConfiguration
  private(set) var phase = Phase.serving

  var streams = UpdateStreams()
  var watchers: [FanOutWatcher] = []
  let enrolments: EnrolmentQuotas
  /// Compared with when there is no such device, so that the answer takes as long.
  let nobodysKeyHash = SecureRandom.bytes(32)

  // What waits for the store.
  var commits = CommitQueue()
  private var hold = BatchHold()
  var storeFailure: String?
  /// The newest push of the batches that were handed to the store.
  var submittedNumber: UInt64 = 0
  var counters = DecisionCounters()
  var fanOutPace = FanOutPace()

  /// Devices' own questions, in the order in which they came.
  var explanations: [PendingExplanation] = []
  /// Entries of the audit that the log has, and when it last spoke of bypasses (boot milliseconds).
  var auditLogged = 0
  var bypassLoggedAt: Int64 = .min / 2
  var random = FastRandom()
  private var wakeTimer: (id: TimerID, at: Int64)?
  private var watchTimer: TimerID?
  private var endedLoops = 0

  /// Opens the store and reads it.
  init(_ setup: WorkerSetup, inbox: Mailbox<LedgerMessage>, loop: EventLoop) throws(GatewayError) {
    self.loop = loop
    configuration = setup.configuration
    log = setup.log
    gate = setup.gate
    refusedPushes = setup.refusedPushes
    let loader = StoreLoader(configuration: setup.configuration, bootID: setup.bootID)
    let loaded = try loader.load(at: loop.now, replyingTo: inbox)
    ledger = loaded.ledger
    clock = loaded.clock
    store = loaded.thread
    enrolments = EnrolmentQuotas(setup.configuration, at: clock.time(loop.now))
    auditLogged = ledger.audit.count
    submittedNumber = ledger.newestNumber
    tell(of: loaded)
    do throws(SystemCallError) {
      try loop.attach(inbox, to: self)
    } catch {
      store.stop(giveUpAfter: .zero)
      throw GatewayError("the event loop cannot start: \(error)")
    }
    loop.schedule(after: Self.tidyPeriod, self, token: Timer.tidy)
  }

  private func tell(of loaded: StoreLoader.Loaded) {
    let database = configuration.store.database
    switch loaded.origin {
    case .found: break
    case .made: log.warning("there was no database: a new one was made, which knows no device", (.path, database))
    case .emptyFile:
      log.warning(
        "the database was a file of no bytes: a new one was made in it, which knows no device; if it held any, stop "
          + "and restore a backup",
        (.path, database))
    }
    if loaded.damagedTrailRows > 0 {
      log.warning(
        "some of what explain knew cannot be read and is left out", (.count, "\(loaded.damagedTrailRows)"))
    }
  }

  // MARK: Time

  var now: LedgerTime { clock.time(loop.now) }
  var wall: UnixTime { UnixTime(milliseconds: loop.now.wallMilliseconds) }
  var reading: LedgerClockReading { LedgerClockReading(now: now, wall: wall) }

  // MARK: Store

  /// Whether accepted work can be kept. Asked before the ledger is touched.
  var isStoreReady: Bool {
    storeFailure == nil
      && store.pendingBytes + ledger.batch.pendingBytes + commits.byteCount < configuration.limits.storeBacklogBytes
  }

  // MARK: Calls

  func take(_ call: LedgerCall) {
    switch call {
    case .push(let push): accept(push)
    case .device(let device): serve(device)
    case .fanOut(let fanOut): serve(fanOut)
    case .outputFilled(let session): outputFilled(session)
    case .outputEmptied(let session, of: let output): outputEmptied(session, of: output)
    case .streamEnded(let session): streamEnded(session)
    case .watcherEmptied(let place): watcherEmptied(place)
    case .watcherEnded(let place): watchers.removeAll { $0.place == place }
    }
  }

  // MARK: Turns

  /// What is due by time, and a slice of each long work.
  /// - Returns: whether there is more of it.
  func lookAfterLedger() -> Bool {
    var hasMore = ledger.wake(at: now)
    hasMore = ledger.sweep(at: now) || hasMore
    hasMore = ledger.tidyMore(at: now) || hasMore
    if auditLogged != ledger.audit.count { logAudit() }
    if !ledger.bypasses.isEmpty { logBypasses() }
    hasMore = advanceFanOuts() || hasMore
    return advanceExplanations() || hasMore
  }

  /// Whether what was decided goes to the store together with what the next turn brings.
  func holdsBatch(isQuiet: Bool) -> Bool {
    guard case .serving = phase else { return false }
    return hold.hold(
      isEmpty: ledger.batch.isEmpty, isQuiet: isQuiet, begun: loop.now.bootNanoseconds,
      now: LoopClock.readBootNanoseconds())
  }

  /// Events have been decided that are not on their way to the store.
  var hasDeliveries: Bool { ledger.hasDeliveries }
  /// Nothing at all has been.
  var isSettled: Bool { !ledger.hasDeliveries && ledger.batch.isEmpty }

  /// - Parameter hasMore: the next turn does not wait.
  func endTurn(hasMore: Bool) {
    if hasMore { loop.schedule(after: 0, self, token: Timer.more) }
    scheduleWake()
    gate.set(isTaking: isStoreReady)
    loops.flush()
    endIfDrained()
  }

  private func scheduleWake() {
    guard let next = ledger.nextWake else { return }
    let deadline = clock.boot(next)
    if let wakeTimer {
      guard deadline < wakeTimer.at else { return }
      loop.cancel(wakeTimer.id)
    }
    wakeTimer = (loop.schedule(at: deadline, self, token: Timer.wake), deadline)
  }

  /// After a while, and once however many ask for it.
  func tellWatchersAgain() {
    guard watchTimer == nil else { return }
    watchTimer = loop.schedule(after: Self.watchPeriod, self, token: Timer.watch)
  }

  func makeUUID(isUpperCase: Bool = false) -> CanonicalUUID {
    CanonicalUUID(randomHigh: random.next(), randomLow: random.next(), isUpperCase: isUpperCase)
  }

  // MARK: Reload

  /// Takes over what may change while running.
  func adopt(_ new: GatewayConfiguration) {
    configuration = configuration.adopting(new)
    enrolments.replace(with: new, at: now)
    ledger.change(LedgerRules(new), at: now)
    refusedPushes.resize(to: new.explain.refusedPushes)
  }

  // MARK: The end

  /// Lets what is under way end: at once if `duration` (milliseconds) is 0.
  func drain(for duration: Int64) {
    let end = loop.now.bootMilliseconds + duration
    if case .draining(let earlier) = phase, earlier <= end { return }
    phase = .draining(until: end)
    loop.schedule(after: duration, self, token: Timer.drain)
  }

  func loopEnded() { endedLoops += 1 }

  /// The loop has ended: what was decided and has no commit yet goes to the store, and the store ends.
  /// - Returns: whether it took all.
  func leave() -> Bool {
    leaveTrail()
    let outcome = store.stop(giveUpAfter: .seconds(10))
    if case .gaveUp(undurable: let count) = outcome {
      log.error(
        "the store did not take the last commits; nobody was told that they were accepted", (.count, "\(count)"))
    }
    return outcome == .finished
  }

  /// The loops first: what they still have is answered by the ledger.
  private func endIfDrained() {
    guard case .draining(let deadline) = phase, endedLoops >= loops.count else { return }
    guard commits.isEmpty || loop.now.bootMilliseconds >= deadline else { return }
    loop.stop()
  }
}

// MARK: - The loop's events

extension LedgerWorker: TimerHandler, MailboxHandler {
  func received(_ batch: [LedgerMessage]) {
    for message in batch {
      switch message {
      case .journal(let reply): heard(reply)
      case .calls(let calls):
        for call in calls {
          gate.taken(call.byteCount)
          take(call)
        }
      case .loopEnded: loopEnded()
      case .perform(let body): body(self)
      }
    }
  }

  func timerFired(_ token: UInt64) {
    switch token {
    case Timer.wake: wakeTimer = nil
    case Timer.watch:
      watchTimer = nil
      tellWatchers()
    case Timer.tidy:
      ledger.tidy(at: now, wall: wall)
      loop.schedule(after: Self.tidyPeriod, self, token: Timer.tidy)
    default: break
    }
  }
}
