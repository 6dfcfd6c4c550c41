import BudgetThrottle
import GatewayCore
import GatewayIO
import HTTPMessage
import TokenStore
import TokenStoreSQLite

/// One loop's world: its connections, the ledger, and what waits for the store. Born and dies on the loop's thread.
///
/// A turn brings requests, receipts and answers of the store; at its end the ledger is looked after, what it decided
/// goes to the store as one batch, and every touched connection is flushed once.
final class LoopWorker {
  enum Phase: Equatable {
    case serving
    case draining(until: Int64)
    case stopped
  }

  enum Timer {
    static let ledger: UInt64 = 1
    static let drain: UInt64 = 2
    static let tidy: UInt64 = 3
    static let more: UInt64 = 4
    static let goodbye: UInt64 = 5
    static let watch: UInt64 = 6
    static let census: UInt64 = 7
    static let overdue: UInt64 = 8
  }

  /// How often old things are forgotten; milliseconds.
  private static let tidyPeriod: Int64 = 60_000
  private static let rounds = 8
  /// How often a drain looks for clients that have fallen silent; milliseconds. Clients over Python's h2 leave requests
  /// half sent at a GOAWAY, and keep the socket; those that block read neither until their next push.
  private static let goodbyeWait: Int64 = 1000

  let loop: EventLoop
  let ledger: Ledger
  let clock: LedgerClock
  let store: StoreThread
  let log: any GatewayLog
  private(set) var configuration: GatewayConfiguration
  private(set) var phase = Phase.serving
  /// The provider listeners first, in the order of the configuration.
  var listeners: [(listener: Listener, kind: WorkerSetup.Door.Kind)] = []
  private(set) var tls: ServerTLS

  // Connections.
  var connections = ConnectionTable()
  var perAddress: [String: Int] = [:]
  private var touched: [HTTPConnection] = []
  private(set) var sessions: [SessionID: ConnectionID] = [:]
  private var nextSession: UInt64 = 1
  var providerCount = 0
  /// Connections on which somebody watches a fan-out.
  var watching: Set<ConnectionID> = []
  var deviceCount = 0
  /// How many connections the descriptors of the process allow.
  let descriptorRoom = OpenFileLimit.connections
  /// Told to leave because the gateway was full, and not gone yet.
  var evicted: Set<ConnectionID> = []
  /// Idle ones that may be told to, the oldest last, and when they were looked for (boot milliseconds).
  var evictable: [ConnectionID] = []
  var lookedForIdleAt: Int64 = .min / 2
  var handshakes = HandshakeQueue()
  let providerStreams = HTTP2StreamPool()
  let deviceStreams = HTTP2StreamPool()

  // What requests are judged by.
  let credentials: Credentials
  private(set) var pushValidator: PushValidator
  var topics: TopicTable
  /// Compared with when there is no such device, so that the answer takes as long.
  let nobodysKeyHash = SecureRandom.bytes(32)

  // What waits for the store.
  var commits = CommitQueue()
  var storeFailure: String?
  var counters = LoopCounters()
  var fanOutPace = FanOutPace()
  var refusals = RefusalLog()
  /// For explain.
  var refusedPushes: RefusedPushes
  /// Devices' own questions, in the order in which they came.
  var explanations: [PendingExplanation] = []
  /// Entries of the audit that the log has, and when it last spoke of bypasses (boot milliseconds).
  var auditLogged = 0
  var bypassLoggedAt: Int64 = .min / 2
  private var census = Census()
  /// The newest push of the batches that were handed to the store.
  var submittedNumber: UInt64 = 0
  var random = FastRandom()

  // Buffers that every connection uses in turn.
  let readBuffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 32_768, alignment: 16)
  let writeBuffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 16_384, alignment: 16)
  var fields = OutgoingFields()
  var scratch: [UInt8] = []
  private var ledgerTimer: (id: TimerID, at: Int64)?

  init(_ setup: WorkerSetup, loop: EventLoop) throws(GatewayError) {
    self.loop = loop
    configuration = setup.configuration
    log = setup.log
    tls = setup.tls
    pushValidator = PushValidator(checks: setup.configuration.checks)
    topics = TopicTable(seed: random.next())
    let loader = StoreLoader(configuration: setup.configuration, bootID: setup.bootID)
    let loaded = try loader.load(at: loop.now, replyingTo: setup.inbox)
    ledger = loaded.ledger
    clock = loaded.clock
    store = loaded.thread
    let database = setup.configuration.store.database
    switch loaded.origin {
    case .found: break
    case .made: setup.log.warning("there was no database: a new one was made, which knows no device", (.path, database))
    case .emptyFile:
      setup.log.warning(
        "the database was a file of no bytes: a new one was made in it, which knows no device; if it held any, stop "
          + "and restore a backup",
        (.path, database))
    }
    if loaded.damagedTrailRows > 0 {
      setup.log.warning(
        "some of what explain knew cannot be read and is left out", (.count, "\(loaded.damagedTrailRows)"))
    }
    auditLogged = loaded.ledger.audit.count
    submittedNumber = loaded.ledger.newestNumber
    census.begin(with: loaded.ledger.registrations)
    let bound = Self.connectionBound(descriptors: descriptorRoom)
    if setup.configuration.limits.connections > bound {
      setup.log.warning(
        "this process may not open as many files as limits.connections asks for; raise LimitNOFILE= of the unit, or the "
          + "hard limit (ulimit -Hn), above it",
        (.count, "\(bound)"))
    }
    refusedPushes = RefusedPushes(capacity: setup.configuration.explain.refusedPushes)
    credentials = Credentials(
      setup.configuration, keys: try ProviderKeys(setup.configuration.providerKeys), at: clock.time(loop.now))
    do throws(SystemCallError) {
      try loop.attach(setup.inbox, to: self)
      for door in setup.doors {
        let listener = Listener(
          door.socket, on: loop, perTurn: setup.configuration.limits.handshakesPerTurn, acceptor: self)
        listeners.append((listener, door.kind))
        try listener.resume()
      }
    } catch {
      store.stop(giveUpAfter: .zero)
      throw GatewayError("the event loop cannot start: \(error)")
    }
    loop.turnObserver = self
    loop.schedule(after: Self.tidyPeriod, self, token: Timer.tidy)
    loop.schedule(after: Self.overduePeriod, self, token: Timer.overdue)
  }

  deinit {
    readBuffer.deallocate()
    writeBuffer.deallocate()
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

  // MARK: Connections

  /// What new connections of a listener get, by its place; nil where there is no certificate to show.
  func tlsContext(ofProvider place: Int) -> TLSContext? {
    tls.context(clientCA: configuration.providers[place].clientCA)
  }

  func touch(_ connection: HTTPConnection) {
    guard !connection.isTouched else { return }
    connection.isTouched = true
    touched.append(connection)
  }

  func forget(_ connection: HTTPConnection) {
    connections.remove(connection.id)
    evicted.remove(connection.id)
    release(connection.peer)
  }

  func makeSession(on connection: ConnectionID) -> SessionID {
    let session = SessionID(rawValue: nextSession)
    nextSession += 1
    sessions[session] = connection
    return session
  }

  func forget(_ session: SessionID) { sessions[session] = nil }

  private func flushTouched() {
    var index = 0
    while index < touched.count {
      let connection = touched[index]
      connection.isTouched = false
      connection.flush()
      index += 1
    }
    touched.removeAll(keepingCapacity: true)
  }

  // MARK: Requests

  func makePushID() -> PushID {
    PushID(CanonicalUUID(randomHigh: random.next(), randomLow: random.next(), isUpperCase: true))
  }

  func uniqueID(of number: UInt64) -> CanonicalUUID { PushUniqueID(epoch: ledger.epoch, number: number).uuid }

  func noteLenient(_ detail: String, _ app: BundleID) {
    log.debug("a payload was accepted only because checks.payload is lenient", (.cause, detail), (.app, "\(app)"))
  }

  /// Widgets by what they wait for; of many registrations as of some seconds ago.
  func countWidgets() -> Census.Counts {
    let (counts, begins) = census.take(of: ledger.registrations, at: loop.now.bootMilliseconds)
    if begins { loop.schedule(after: Census.pause, self, token: Timer.census) }
    return counts
  }

  // MARK: Reload

  /// Takes over what may change while running. The keys were parsed before, so nothing here can fail half-way.
  func adopt(_ new: GatewayConfiguration, tls newTLS: ServerTLS, keys: ProviderKeys) {
    var kept = new
    // These need a restart; see the configuration's table.
    kept.loops = configuration.loops
    kept.providers = configuration.providers.takingClientCAs(from: new.providers)
    kept.device = configuration.device
    kept.store = configuration.store
    kept.admin = configuration.admin
    configuration = kept
    tls = newTLS.covering(kept.providers, from: tls)
    pushValidator = PushValidator(checks: new.checks)
    credentials.replace(with: new, keys: keys, at: now)
    ledger.change(LedgerRules(new), at: now)
    refusedPushes.resize(to: new.explain.refusedPushes)
  }

  // MARK: Drain

  /// Takes no new connections, lets what is under way end, and stops the loop when all is answered or time is up.
  func drain(for duration: Int64) {
    guard phase == .serving else { return }
    phase = .draining(until: loop.now.bootMilliseconds + duration)
    for (listener, _) in listeners { listener.pause() }
    for connection in connections.all {
      if connection.isOpen {
        connection.role.listener.drainBegan(on: connection)
        touch(connection)
      } else {
        connection.close()
      }
    }
    loop.schedule(after: Self.goodbyeWait, self, token: Timer.goodbye)
    loop.schedule(after: duration, self, token: Timer.drain)
  }

  /// Comes again until the drain is over.
  private func sayGoodbyes() {
    guard case .draining = phase else { return }
    for connection in connections.all where connection.isOpen {
      connection.endIfAbandoned(after: 2 * Self.goodbyeWait)
    }
    loop.schedule(after: Self.goodbyeWait, self, token: Timer.goodbye)
  }

  private func stopIfDrained() {
    guard case .draining(let deadline) = phase else { return }
    let isOver = loop.now.bootMilliseconds >= deadline
    guard isOver || (connections.count == 0 && commits.isEmpty) else { return }
    phase = .stopped
    for connection in connections.all { connection.close() }
    loop.stop()
  }

  func stopNow() {
    phase = .stopped
    for (listener, _) in listeners { listener.pause() }
    for connection in connections.all { connection.close() }
    submit()
    loop.stop()
  }
}

// MARK: - The loop's events

extension LoopWorker: TurnObserver, TimerHandler, MailboxHandler {
  func received(_ batch: [LoopMessage]) {
    for message in batch {
      switch message {
      case .journal(let reply): heard(reply)
      case .perform(let body): body(self)
      }
    }
  }

  func timerFired(_ token: UInt64) {
    switch token {
    case Timer.ledger: ledgerTimer = nil
    case Timer.watch: tellWatchers()
    case Timer.tidy:
      ledger.tidy(at: now, wall: wall)
      refusals.reportSuppressed(to: log)
      loop.schedule(after: Self.tidyPeriod, self, token: Timer.tidy)
    case Timer.goodbye: sayGoodbyes()
    case Timer.overdue: endOverdueRequests()
    case Timer.census:
      if census.advance(over: ledger.registrations, at: loop.now.bootMilliseconds) {
        loop.schedule(after: Census.pause, self, token: Timer.census)
      }
    default: break
    }
  }

  func turnEnded() {
    guard phase != .stopped else { return }
    var hasMore = ledger.wake(at: now)
    hasMore = ledger.sweep(at: now) || hasMore
    hasMore = ledger.tidyMore(at: now) || hasMore
    if auditLogged != ledger.audit.count { logAudit() }
    if !ledger.bypasses.isEmpty { logBypasses() }
    hasMore = advanceFanOuts() || hasMore
    hasMore = advanceExplanations() || hasMore
    for _ in 0..<Self.rounds {
      submit()
      flushTouched()
      // A flushed stream may take its next event at once.
      if touched.isEmpty, !ledger.hasDeliveries, ledger.batch.isEmpty { break }
      hasMore = hasMore || ledger.hasDeliveries
    }
    if hasMore { loop.schedule(after: 0, self, token: Timer.more) }
    scheduleWake()
    stopIfDrained()
  }

  private func scheduleWake() {
    guard let next = ledger.nextWake else { return }
    let deadline = clock.boot(next)
    if let ledgerTimer {
      guard deadline < ledgerTimer.at else { return }
      loop.cancel(ledgerTimer.id)
    }
    ledgerTimer = (loop.schedule(at: deadline, self, token: Timer.ledger), deadline)
  }
}
