/// One HTTP/2 connection of a client on a loop: connects, proves the server with TLS, sends requests and tells what
/// came back. For `gatewayctl`, the device simulator and tests. Not Sendable; it belongs to its loop.
///
/// Requests may be sent at once; they wait until the connection is up. The loop keeps the object alive from
/// ``start()`` until ``closed`` has been called.
package final class ClientConnection: EventHandler, TimerHandler {
  package enum Security {
    /// HTTP/2 with prior knowledge.
    case cleartext
    /// `host` is what the server's certificate must be made for.
    case tls(TLSContext, host: String)
  }

  private enum State { case idle, connecting, handshaking, open, closed }
  private enum Timer: UInt64 { case handshake, readAgain, failedAtOnce, credit }

  /// Reads in one turn, so that a fast server does not starve the loop's other connections.
  private static let readsPerTurn = 32

  private let loop: EventLoop
  private let address: SocketAddress
  private let security: Security
  private let authority: String
  private let bodyLimit: Int
  private let handshakeTimeout: Int64
  private let pace: ClientReadingPace
  private let http2: HTTP2Connection
  private var transport: Transport?
  private var registration: Registration?
  private var timers: [Timer: TimerID] = [:]
  private var state = State.idle
  private var waiting: [(ClientRequest, ClientExchange)] = []
  private var exchanges: [Int32: ClientExchange] = [:]
  private var outgoing = OutgoingFields()
  /// Drained from the session and not yet taken by the transport.
  private var backlog: [UInt8] = []
  private var wantsWritable = false
  /// Output is flushed once, when the outermost call has done its work.
  private var depth = 0
  private var failureAtStart: ClientError?
  private var goAway: String?
  /// Octets that a stream has given and that are not credited to it yet; only of a slow reader.
  private var uncredited: [Int32: Int] = [:]

  /// Called once, when the connection has ended: nil after ``close()``.
  package var closed: ((ClientError?) -> Void)?

  /// - Parameters:
  ///   - authority: what `:authority` says; nil: the TLS host, or `localhost`.
  ///   - bodyLimit: octets of a response, or of one part of it, that are kept.
  ///   - handshakeTimeout: milliseconds from ``start()`` until requests can be sent.
  ///   - pace: how fast responses that are received in parts are read.
  package init(
    loop: EventLoop, address: SocketAddress, security: Security, authority: String? = nil,
    pool: HTTP2StreamPool = HTTP2StreamPool(limit: 64), bodyLimit: Int = 1 << 20,
    handshakeTimeout: Int64 = 10_000, pace: ClientReadingPace = .atOnce
  ) throws(HTTP2Error) {
    self.loop = loop
    self.address = address
    self.security = security
    self.bodyLimit = bodyLimit
    self.handshakeTimeout = handshakeTimeout
    self.pace = pace
    var name = "localhost"
    if case .tls(_, let host) = security { name = host.contains(":") ? "[\(host)]" : host }
    self.authority = authority ?? name
    var settings = HTTP2Settings()
    settings.bodyLimit = bodyLimit
    if case .bytesPerSecond = pace {
      settings.creditsAutomatically = false
      settings.initialWindow = ClientReadingPace.window
    }
    http2 = try HTTP2Connection(role: .client, settings: settings, pool: pool)
  }

  // MARK: Life

  /// Begins to connect. Failures, also immediate ones, are told through ``closed`` in a later turn.
  package func start() {
    guard state == .idle else { return }
    state = .connecting
    timers[.handshake] = loop.schedule(after: handshakeTimeout, self, token: Timer.handshake.rawValue)
    do {
      let transport: Transport
      let descriptor: FileDescriptor
      do {
        descriptor = try FileDescriptor.connecting(to: address)
      } catch {
        throw ClientError.unreachable(error)
      }
      switch security {
      case .cleartext: transport = Transport(plain: descriptor)
      case .tls(let context, let host):
        do {
          transport = try Transport(connecting: descriptor, host: host, context: context)
        } catch {
          throw ClientError.transport(.tls(error))
        }
      }
      self.transport = transport
      do {
        registration = try loop.register(transport.raw, for: .writable, handler: self)
      } catch {
        throw ClientError.unreachable(error)
      }
    } catch {
      failureAtStart = error as? ClientError ?? .closed
      timers[.failedAtOnce] = loop.schedule(after: 0, self, token: Timer.failedAtOnce.rawValue)
    }
  }

  /// Says goodbye and closes. Requests under way fail with ``ClientError/closed``.
  package func close() {
    guard state != .closed else { return }
    if state == .open {
      http2.goAway()
      flush()
      _ = transport?.shutdown()
    }
    finish(nil)
  }

  /// Closes without a word, as a device does that loses its network. Requests under way fail.
  package func abandon() { finish(nil) }

  private func finish(_ error: ClientError?) {
    guard state != .closed else { return }
    state = .closed
    if let registration { loop.remove(registration) }
    for timer in timers.values { loop.cancel(timer) }
    timers = [:]
    transport?.close()
    let failed = waiting.map(\.1) + exchanges.sorted { $0.key < $1.key }.map(\.value)
    waiting = []
    exchanges = [:]
    for exchange in failed { exchange.completion(.failure(error ?? .closed)) }
    let closed = closed.take()
    closed?(error)
  }

  // MARK: Requests

  /// Sends a request and calls `completion` exactly once.
  ///
  /// - Parameter receiving: gets the head and then the body as it comes; the response in `completion` then has no body.
  /// - Returns: what ``cancel(_:)`` takes.
  @discardableResult
  package func send(
    _ request: ClientRequest, receiving: ((ClientResponsePart) -> Void)? = nil,
    completion: @escaping (Result<ClientResponse, ClientError>) -> Void
  ) -> ClientExchange {
    let exchange = ClientExchange(receiving: receiving, completion: completion)
    switch state {
    case .idle, .connecting, .handshaking: waiting.append((request, exchange))
    case .closed: completion(.failure(.closed))
    case .open: work { submit(request, exchange) }
    }
    return exchange
  }

  /// Gives a request up: its stream is reset, and nothing more is told of it. One that has ended is ignored.
  package func cancel(_ exchange: ClientExchange) {
    waiting.removeAll { $0.1 === exchange }
    guard let id = exchanges.first(where: { $0.value === exchange })?.key else { return }
    exchanges[id] = nil
    uncredited[id] = nil
    work { if let stream = http2.stream(id) { http2.reset(stream, code: .cancel) } }
  }

  private func submit(_ request: ClientRequest, _ exchange: ClientExchange) {
    outgoing.startRequest(
      method: request.method.text, path: Array(request.path.utf8), authority: Array(authority.utf8),
      scheme: transport?.session == nil ? "http" : "https")
    for field in request.fields { outgoing.append(copyingName: Array(field.name.utf8), Array(field.value.utf8)) }
    guard let stream = http2.submitRequest(outgoing, body: request.body) else {
      exchange.completion(.failure(.closedByPeer(goAway: goAway)))
      return
    }
    exchanges[stream.id] = exchange
  }

  // MARK: The loop's calls

  package func ready(_ readiness: Readiness) {
    work {
      if state == .connecting { connected() }
      if state == .handshaking { shakeHands() }
      if state == .open, readiness.contains(.readable) || readiness.contains(.hangup) { read() }
    }
  }

  package func timerFired(_ token: UInt64) {
    guard let timer = Timer(rawValue: token) else { return }
    timers[timer] = nil
    switch timer {
    case .handshake: finish(.handshakeTimedOut(milliseconds: handshakeTimeout))
    case .failedAtOnce: finish(failureAtStart)
    case .readAgain: work { if state == .open { read() } }
    case .credit: work { creditSlowly() }
    }
  }

  private func work(_ body: () -> Void) {
    depth += 1
    body()
    depth -= 1
    guard depth == 0, state == .open else { return }
    flush()
    guard state == .open else { return }
    if http2.isFinished { return finish(http2.failure.map { .protocolFailed($0) } ?? .closedByPeer(goAway: goAway)) }
    watch()
  }

  private func connected() {
    if let error = transport?.takeSocketError() { return finish(.unreachable(error)) }
    state = .handshaking
  }

  private func shakeHands() {
    guard let transport else { return }
    switch transport.handshake() {
    case .done:
      if let timer = timers.removeValue(forKey: .handshake) { loop.cancel(timer) }
      state = .open
      let requests = waiting
      waiting = []
      for (request, exchange) in requests { submit(request, exchange) }
    case .wouldBlockRead:
      watch(.readable)
    case .wouldBlockWrite:
      watch(.writable)
    case .peerClosed:
      finish(.closedByPeer(goAway: nil))
    case .failed(let error):
      finish(.transport(error))
    }
  }

  // MARK: Bytes

  private func read() {
    for _ in 0..<Self.readsPerTurn {
      guard state == .open, let transport else { return }
      let goesOn = withUnsafeTemporaryAllocation(byteCount: 16_384, alignment: 16) { buffer -> Bool in
        switch transport.read(into: buffer) {
        case .done(let count): return receive(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        case .wouldBlockRead: return false
        case .wouldBlockWrite:
          wantsWritable = true
          return false
        case .peerClosed:
          finish(.closedByPeer(goAway: goAway))
          return false
        case .failed(let error):
          finish(.transport(error))
          return false
        }
      }
      guard goesOn else { return }
    }
    timers[.readAgain] = loop.schedule(after: 0, self, token: Timer.readAgain.rawValue)
  }

  private func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
    do throws(HTTP2Error) {
      try http2.receive(bytes, at: UInt64(loop.now.bootMilliseconds))
    } catch {
      tellEvents()
      flush()
      finish(.protocolFailed(error))
      return false
    }
    tellEvents()
    return state == .open
  }

  private func tellEvents() {
    while state == .open, let event = http2.nextEvent() {
      switch event {
      case .responseHeaded(let stream):
        exchanges[stream.id]?.headed(ClientResponse(headers: stream.headers))
      case .dataReceived(let stream):
        let bytes = stream.takeBody()
        let isWithinLimit = exchanges[stream.id]?.received(bytes, limit: bodyLimit) ?? true
        if !isWithinLimit { giveUp(stream) } else { haveRead(bytes.count, of: stream) }
      case .responseEnded(let stream):
        exchanges.removeValue(forKey: stream.id)?.succeed()
      case .bodyExceededLimit(let stream):
        giveUp(stream)
      case .streamClosed(let stream, let code):
        exchanges.removeValue(forKey: stream.id)?.completion(.failure(.reset(code)))
      case .peerGoingAway(_, let code):
        let text = String(decoding: http2.peerDebugData, as: UTF8.self)
        goAway = text.isEmpty ? "\(code)" : text
      case .requestEnded, .outputDrained, .settingsReceived, .pingAcknowledged: break
      }
    }
  }

  private func haveRead(_ count: Int, of stream: HTTP2Stream) {
    guard case .bytesPerSecond = pace else { return }
    guard exchanges[stream.id]?.isReceivedInParts == true else { return http2.credit(count, to: stream) }
    uncredited[stream.id, default: 0] += count
    if timers[.credit] == nil { timers[.credit] = loop.schedule(after: 1000, self, token: Timer.credit.rawValue) }
  }

  /// Once a second: opens each stream's window by as much as was read of it meanwhile.
  private func creditSlowly() {
    guard state == .open, case .bytesPerSecond(let rate) = pace else { return }
    for (id, count) in uncredited {
      let read = min(rate, count)
      uncredited[id] = count > read ? count - read : nil
      if let stream = http2.stream(id) { http2.credit(read, to: stream) } else { uncredited[id] = nil }
    }
    if !uncredited.isEmpty { timers[.credit] = loop.schedule(after: 1000, self, token: Timer.credit.rawValue) }
  }

  private func giveUp(_ stream: HTTP2Stream) {
    let exchange = exchanges.removeValue(forKey: stream.id)
    http2.reset(stream, code: .cancel)
    exchange?.completion(.failure(.responseTooLarge))
  }

  private func flush() {
    guard let transport else { return }
    wantsWritable = false
    while state == .open {
      let step: TransportStep?
      if backlog.isEmpty {
        step = withUnsafeTemporaryAllocation(byteCount: 16_384, alignment: 16) { buffer in
          let count = http2.drainOutput(into: buffer)
          guard count > 0 else { return nil }
          let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
          let step = transport.write(bytes)
          switch step {
          case .done(let written): backlog.append(contentsOf: bytes[written...])
          default: backlog.append(contentsOf: bytes)
          }
          return step
        }
      } else {
        let result = backlog.withUnsafeBytes { transport.write($0) }
        if case .done(let written) = result { backlog.removeFirst(written) }
        step = result
      }
      switch step {
      case nil, .wouldBlockRead: return
      case .done: continue
      case .wouldBlockWrite:
        wantsWritable = true
        return
      case .peerClosed: finish(.closedByPeer(goAway: goAway))
      case .failed(let error): finish(.transport(error))
      }
    }
  }

  private func watch(_ interest: Readiness? = nil) {
    guard let registration else { return }
    do {
      try loop.modify(registration, to: interest ?? (wantsWritable ? [.readable, .writable] : .readable))
    } catch {
      finish(.transport(.system(error)))
    }
  }
}
