import BudgetThrottle
import GatewayCore
import GatewayIO
import HTTPMessage
import TokenStore

/// One loop's world: its sockets, sessions and connections. It judges requests and asks the ledger, which may live on
/// this thread or on another (``ledger``). Born and dies on the loop's thread.
///
/// A turn brings requests and what the ledger has decided; at its end every touched connection is flushed. Answers to
/// pushes do not wait for that.
final class LoopWorker {
  enum Phase: Equatable {
    case serving
    /// Boot milliseconds.
    case draining(until: Int64)
    case ended
  }

  enum Timer {
    static let drain: UInt64 = 1
    static let tidy: UInt64 = 2
    static let goodbye: UInt64 = 3
    static let overdue: UInt64 = 4
  }

  /// How often old things are forgotten; milliseconds.
  private static let tidyPeriod: Int64 = 60_000
  /// How often a drain looks for clients that have fallen silent; milliseconds. Clients over Python's h2 leave requests
  /// half sent at a GOAWAY, and keep the socket; those that block read neither until their next push.
  private static let goodbyeWait: Int64 = 1000

  /// Its place among the loops.
  let index: Int
  let loop: EventLoop
  let ledger: LedgerPort
  /// Tells the time as the ledger does.
  let clock: LedgerClock
  /// Of this start; part of every `apns-unique-id`.
  let epoch: UInt64
  let log: any GatewayLog
  private(set) var configuration: GatewayConfiguration
  private(set) var phase = Phase.serving
  /// The provider listeners first, in the order of the configuration.
  var listeners: [(listener: Listener, kind: WorkerSetup.Door.Kind)] = []
  private(set) var tls: ServerTLS

  // Connections.
  var connections: ConnectionTable
  let register: ConnectionRegister
  /// The other loops' mailboxes, and in its own place nothing.
  let siblings: [Mailbox<LoopMessage>?]
  private var touched: [HTTPConnection] = []
  var providerCount = 0
  var deviceCount = 0
  /// How many connections the descriptors of the process allow.
  let descriptorRoom = OpenFileLimit.connections
  /// Told to leave because the gateway was full, and not gone yet.
  var evicted: Set<ConnectionID> = []
  /// Idle ones that may be told to, the oldest last, and when they were looked for (boot milliseconds).
  var evictable: [ConnectionID] = []
  var lookedForIdleAt: Int64 = .min / 2
  var hasLeftSomeOut = false
  var handshakes = HandshakeQueue()
  let providerStreams = HTTP2StreamPool()
  let deviceStreams = HTTP2StreamPool()

  // What requests are judged by.
  let credentials: Credentials
  private(set) var pushValidator: PushValidator
  var topics: TopicTable
  private(set) var explain: ExplainRules

  var counters = LoopCounters()
  var refusals: RefusalLog
  /// For explain.
  let refusedPushes: RefusedPushLog
  var random = FastRandom()

  // Buffers that every connection uses in turn.
  let readBuffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 32_768, alignment: 16)
  let writeBuffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 16_384, alignment: 16)
  var fields = OutgoingFields()
  var scratch: [UInt8] = []

  /// - Parameters:
  ///   - epoch: the ledger's.
  ///   - siblings: mailboxes of all loops, this one's own place empty; one empty place if there is no other.
  init(
    _ setup: WorkerSetup, index: Int, loop: EventLoop, ledger: LedgerPort, clock: LedgerClock, epoch: UInt64,
    siblings: [Mailbox<LoopMessage>?]
  ) throws(GatewayError) {
    self.index = index
    self.loop = loop
    self.ledger = ledger
    self.clock = clock
    self.epoch = epoch
    self.siblings = siblings
    configuration = setup.configuration
    log = setup.log
    tls = setup.tls
    register = setup.register
    refusedPushes = setup.refusedPushes
    refusals = RefusalLog(digest: setup.digest)
    connections = ConnectionTable(loop: UInt16(index))
    pushValidator = PushValidator(checks: setup.configuration.checks)
    topics = TopicTable(seed: random.next())
    explain = ExplainRules(setup.configuration)
    credentials = Credentials(setup.configuration, keys: try ProviderKeys(setup.configuration.providerKeys))
    for door in setup.doors {
      let listener = Listener(
        door.socket, on: loop, perTurn: setup.configuration.limits.handshakesPerTurn, acceptor: self)
      listeners.append((listener, door.kind))
    }
    if index == 0 { sayIfDescriptorsAreFew() }
    loop.schedule(after: Self.tidyPeriod, self, token: Timer.tidy)
    loop.schedule(after: Self.overduePeriod, self, token: Timer.overdue)
  }

  deinit {
    readBuffer.deallocate()
    writeBuffer.deallocate()
  }

  private func sayIfDescriptorsAreFew() {
    let bound = Self.connectionBound(descriptors: descriptorRoom)
    guard configuration.limits.connections > bound else { return }
    log.warning(
      "this process may not open as many files as limits.connections asks for; raise LimitNOFILE= of the unit, or the "
        + "hard limit (ulimit -Hn), above it",
      (.count, "\(bound)"))
  }

  /// Takes its first connection from here on, and those that other loops give it.
  func beginAccepting() throws(GatewayError) {
    do throws(SystemCallError) {
      for (listener, _) in listeners { try listener.resume() }
    } catch {
      throw GatewayError("the event loop cannot watch a listener: \(error)")
    }
  }

  // MARK: Time

  var now: LedgerTime { clock.time(loop.now) }
  var wall: UnixTime { UnixTime(milliseconds: loop.now.wallMilliseconds) }

  // MARK: Connections

  /// What new connections of a listener get, by its place; nil where there is no certificate to show.
  func tlsContext(ofProvider place: Int) -> TLSContext? {
    tls.context(clientCA: configuration.providers[place].clientCA)
  }

  var deviceTLSContext: TLSContext? { tls.context(clientCA: nil) }

  func touch(_ connection: HTTPConnection) {
    guard !connection.isTouched else { return }
    connection.isTouched = true
    touched.append(connection)
  }

  func forget(_ connection: HTTPConnection) {
    connections.remove(connection.id)
    release(connection.peer, wasLeaving: evicted.remove(connection.id) != nil)
  }

  /// Also those that are touched meanwhile.
  func flushTouched() {
    var index = 0
    while index < touched.count {
      let connection = touched[index]
      connection.isTouched = false
      connection.flush()
      index += 1
    }
    touched.removeAll(keepingCapacity: true)
  }

  var figures: LoopFigures {
    LoopFigures(
      counters: counters, providers: providerCount, devices: deviceCount, handshakes: handshakes.count,
      connectionLimit: connectionLimit)
  }

  // MARK: Requests

  func makePushID() -> PushID {
    PushID(CanonicalUUID(randomHigh: random.next(), randomLow: random.next(), isUpperCase: true))
  }

  func uniqueID(of number: UInt64) -> CanonicalUUID { PushUniqueID(epoch: epoch, number: number).uuid }

  func noteLenient(_ detail: String, _ app: BundleID) {
    log.debug("a payload was accepted only because checks.payload is lenient", (.cause, detail), (.app, "\(app)"))
  }

  // MARK: Reload

  /// Takes over what may change while running.
  func adopt(_ new: GatewayConfiguration, tls newTLS: ServerTLS, keys: ProviderKeys) {
    configuration = configuration.adopting(new)
    tls = newTLS.covering(configuration.providers, from: tls)
    pushValidator = PushValidator(checks: new.checks)
    explain = ExplainRules(new)
    credentials.replace(with: new, keys: keys)
  }

  // MARK: The end

  /// Takes no new connections, lets what is under way end, and ends when all is answered or time is up.
  /// - Parameter duration: milliseconds.
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

  func endIfDrained() {
    guard case .draining(let deadline) = phase else { return }
    if loop.now.bootMilliseconds >= deadline || connections.count == 0 { end() }
  }

  /// Lets all connections go.
  func end() {
    guard phase != .ended else { return }
    phase = .ended
    for (listener, _) in listeners { listener.pause() }
    for connection in connections.all { connection.close() }
    ledger.end()
  }
}

// MARK: - The loop's events

extension LoopWorker: TimerHandler {
  func timerFired(_ token: UInt64) {
    switch token {
    case Timer.tidy:
      refusals.reportSuppressed(to: log)
      loop.schedule(after: Self.tidyPeriod, self, token: Timer.tidy)
    case Timer.goodbye: sayGoodbyes()
    case Timer.overdue: endOverdueRequests()
    default: break
    }
  }
}

extension LoopWorker: MailboxHandler {
  func received(_ batch: [LoopMessage]) {
    for message in batch {
      switch message {
      case .output(let output): take(output)
      case .newcomer(let newcomer): serve(newcomer)
      case .roomSearch(let search): takePart(in: search)
      case .makeRoom(let search): makeRoom(for: search)
      case .perform(let body): body(self)
      }
    }
  }
}
