import GatewayIO

/// One accepted connection: its transport, its HTTP/2 session, and its timers. Bound to the loop of its worker.
final class HTTPConnection: EventHandler, TimerHandler {
  private enum Phase {
    case handshaking
    case open
    /// Only output is left: the peer broke the rules, or both sides said goodbye.
    case closing
    /// All is said. What the peer still sends is thrown away until it has gone, too: a close over unread bytes is a
    /// reset, which overtakes the last answers on their way to it.
    case lingering
    case closed
  }

  private enum Timer: UInt64, CaseIterable {
    case handshake, readMore, idle, tick, linger
  }

  /// What a turn reads of one connection at most, so that a busy one does not starve the rest.
  private static let readsPerTurn = 8
  /// How long a connection that is being closed may take to swallow its last bytes; milliseconds.
  private static let lingerMilliseconds: Int64 = 2000

  let id: ConnectionID
  let peer: PeerAddress
  let http2: HTTP2Connection
  let role: ConnectionRole
  /// Knows this connection until ``close()``, which cuts the knot.
  private let worker: LoopWorker
  private let transport: Transport
  private var phase = Phase.handshaking {
    willSet { if case .handshaking = phase { worker.endHandshake() } }
  }
  private var registration: Registration?
  /// By kind, one of each: whatever a connection has lived through, its end cancels all that would keep it alive.
  private var timers = InlineArray<5, TimerID?>(repeating: nil)
  /// What the socket did not take: the same bytes must be offered first next time.
  private var unsent: [UInt8] = []
  private var unsentOffset = 0
  /// Boot milliseconds.
  private(set) var lastInput: Int64
  private var idleTimeout: Int64 = 0
  private var tickPeriod: Int64 = 0
  /// In the worker's list of connections whose output wants flushing.
  var isTouched = false

  init(
    id: ConnectionID, transport: Transport, http2: HTTP2Connection, role: ConnectionRole, peer: PeerAddress,
    worker: LoopWorker
  ) {
    self.id = id
    self.transport = transport
    self.http2 = http2
    self.role = role
    self.peer = peer
    self.worker = worker
    lastInput = worker.loop.now.bootMilliseconds
  }

  /// - Parameters (milliseconds; 0 = none):
  ///   - idleTimeout: after which ``ConnectionListener/idled(on:)`` is told.
  ///   - tick: period of ``ConnectionListener/ticked(on:)``.
  func start(handshakeTimeout: Int64, idleTimeout: Int64, tick: Int64) throws(SystemCallError) {
    self.idleTimeout = idleTimeout
    tickPeriod = tick
    registration = try worker.loop.register(transport.raw, for: .readable, handler: self)
    schedule(after: handshakeTimeout, .handshake)
    // In the clear there is nothing to shake; with TLS this finds that nothing has come yet.
    handshake()
  }

  /// What the client showed in the handshake; nil if that was nothing, or there was none.
  func peerCertificate(judgedBy context: TLSContext) -> PeerCertificate? {
    transport.session?.peerCertificate(judgedBy: context)
  }

  /// From now on ``ConnectionListener/ticked(on:)`` is told every so many milliseconds.
  func tick(every milliseconds: Int64) {
    tickPeriod = milliseconds
    schedule(after: milliseconds, .tick)
  }

  /// Where the answer to one of its requests goes.
  func place(of stream: Int32) -> RequestPlace { RequestPlace(connection: id, stream: stream) }

  var isHandshaking: Bool { if case .handshaking = phase { true } else { false } }

  var isOpen: Bool { if case .open = phase { true } else { false } }

  // MARK: Events of the loop

  func ready(_ readiness: Readiness) {
    switch phase {
    case .handshaking: handshake()
    case .open:
      if readiness.contains(.readable) || readiness.contains(.hangup) { readInput() }
      if readiness.contains(.writable) { worker.touch(self) }
    case .closing:
      if readiness.contains(.readable) || readiness.contains(.hangup) { discardInput() }
      if readiness.contains(.writable) { worker.touch(self) }
    case .lingering: discardInput()
    case .closed: break
    }
  }

  func timerFired(_ token: UInt64) {
    guard let timer = Timer(rawValue: token) else { return }
    timers[Int(token)] = nil
    switch timer {
    case .handshake:
      if case .handshaking = phase {
        worker.counters.handshakesFailed += 1
        close()
      }
    case .readMore: readInput()
    case .idle: checkIdle()
    case .tick:
      guard case .open = phase else { return }
      role.listener.ticked(on: self)
      guard phase != .closed else { return }
      worker.touch(self)
      schedule(after: tickPeriod, .tick)
    case .linger: close()
    }
  }

  private func schedule(after milliseconds: Int64, _ timer: Timer) {
    let place = Int(timer.rawValue)
    if let earlier = timers[place] { worker.loop.cancel(earlier) }
    timers[place] = worker.loop.schedule(after: milliseconds, self, token: timer.rawValue)
  }

  private func handshake() {
    switch transport.handshake() {
    case .done:
      phase = .open
      watch(.readable)
      if idleTimeout > 0 { schedule(after: idleTimeout, .idle) }
      if tickPeriod > 0 { schedule(after: tickPeriod, .tick) }
      role.listener.secured(on: self)
      worker.touch(self)
      guard case .open = phase else { return }
      // The client's first bytes may have come with its last handshake message.
      readInput()
    case .wouldBlockRead: watch(.readable)
    case .wouldBlockWrite: watch([.readable, .writable])
    case .peerClosed, .failed:
      worker.counters.handshakesFailed += 1
      close()
    }
  }

  private func watch(_ interest: Readiness) {
    guard let registration else { return }
    do { try worker.loop.modify(registration, to: interest) } catch { close() }
  }

  private func checkIdle() {
    guard case .open = phase else { return }
    let quiet = worker.loop.now.bootMilliseconds - lastInput
    if quiet >= idleTimeout, !role.listener.isHoldingStream, !http2.owesAnswer {
      role.listener.idled(on: self)
      worker.touch(self)
      schedule(after: Self.lingerMilliseconds, .linger)
    } else {
      schedule(after: quiet >= idleTimeout ? idleTimeout : idleTimeout - quiet, .idle)
    }
  }

  // MARK: Input

  private func readInput() {
    for _ in 0..<Self.readsPerTurn {
      guard case .open = phase else { return }
      switch transport.read(into: worker.readBuffer) {
      case .done(let count):
        lastInput = worker.loop.now.bootMilliseconds
        received(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(worker.readBuffer)[..<count]))
      case .wouldBlockRead: return
      case .wouldBlockWrite:
        watch([.readable, .writable])
        return
      case .peerClosed, .failed:
        close()
        return
      }
    }
    // Bytes inside OpenSSL do not make the descriptor readable.
    if case .open = phase { schedule(after: 0, .readMore) }
  }

  /// Nobody listens any more.
  private func discardInput() {
    for _ in 0..<Self.readsPerTurn {
      switch transport.discard(into: worker.readBuffer) {
      case .done: continue
      case .wouldBlockRead, .wouldBlockWrite: return
      case .peerClosed, .failed: return close()
      }
    }
  }

  private func received(_ bytes: UnsafeRawBufferPointer) {
    do throws(HTTP2Error) {
      try http2.receive(bytes, at: UInt64(clamping: worker.loop.now.bootMilliseconds))
    } catch {
      worker.counters.connectionsBroken += 1
      takeEvents()
      phase = .closing
      schedule(after: Self.lingerMilliseconds, .linger)
    }
    if case .open = phase { takeEvents() }
    worker.touch(self)
  }

  private func takeEvents() {
    while let event = http2.nextEvent() { role.listener.happened(event, on: self) }
    worker.ledger.decide()
  }

  // MARK: Output

  /// Writes what there is until the socket is full. Called by the worker: once for all that a turn has brought, and after
  /// the answers to pushes of one commit.
  func flush() {
    guard phase == .open || phase == .closing else { return }
    // What has arrived already must not be taken for a silence to say goodbye in.
    if http2.awaitsQuiet { readInput() }
    guard phase == .open || phase == .closing, flushUnsent() else { return }
    while true {
      let count = http2.drainOutput(into: worker.writeBuffer)
      guard count > 0 else { break }
      guard send(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(worker.writeBuffer)[..<count])) else { return }
    }
    watch(.readable)
    takeEvents()
    guard phase != .closed else { return }
    role.listener.outputFlushed(on: self)
    if http2.isFinished { linger() }
  }

  /// - Returns: whether all was taken.
  private func flushUnsent() -> Bool {
    guard !unsent.isEmpty else { return true }
    let rest = unsent
    let start = unsentOffset
    unsent = []
    unsentOffset = 0
    return rest.withUnsafeBytes { send(UnsafeRawBufferPointer(rebasing: $0[start...])) }
  }

  private func send(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var rest = bytes
    while !rest.isEmpty {
      switch transport.write(rest) {
      case .done(let count): rest = UnsafeRawBufferPointer(rebasing: rest[count...])
      case .wouldBlockWrite:
        unsent = Array(rest)
        watch([.readable, .writable])
        return false
      case .wouldBlockRead:
        unsent = Array(rest)
        return false
      case .peerClosed, .failed:
        close()
        return false
      }
    }
    return true
  }

  // MARK: End

  /// Reads nothing more; what waits to be said is said, and then the connection ends.
  func dismiss() {
    guard case .open = phase else { return }
    phase = .closing
    schedule(after: Self.lingerMilliseconds, .linger)
  }

  /// Ends a connection that owes its peer nothing and has heard nothing for so long: what is open there are requests that
  /// their client has left half sent, and one that is not whole was never accepted.
  func endIfAbandoned(after milliseconds: Int64) {
    guard case .open = phase, worker.loop.now.bootMilliseconds - lastInput >= milliseconds else { return }
    guard unsent.isEmpty, !http2.wantsWrite, !http2.owesOutput, !http2.owesAnswer else { return }
    linger()
  }

  private func linger() {
    phase = .lingering
    role.listener.closed(self)
    _ = transport.shutdown()
    schedule(after: Self.lingerMilliseconds, .linger)
    discardInput()
  }

  func close() {
    guard phase != .closed else { return }
    let isTold = phase == .lingering
    phase = .closed
    if let registration { worker.loop.remove(registration) }
    registration = nil
    for timer in Timer.allCases {
      if let id = timers[Int(timer.rawValue)] { worker.loop.cancel(id) }
    }
    if !isTold { _ = transport.shutdown() }
    transport.close()
    if !isTold { role.listener.closed(self) }
    worker.forget(self)
  }
}
