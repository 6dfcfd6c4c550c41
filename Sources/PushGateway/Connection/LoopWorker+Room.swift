import GatewayCore
import GatewayIO

/// Room for one connection more, when there is none.
///
/// The oldest idle provider connections go first: a backend opens another when it has something to push, and a device
/// that is sent away comes back at once. Of those, the ones that have never shown a credential go before all others, so
/// that a stranger who opens connection after connection drives out his own.
extension LoopWorker {
  /// How long a connection must have been silent to be idle; milliseconds.
  private static let idleTime: Int64 = 1000
  /// Connections that are found in one look over all of them.
  private static let candidates = 64
  /// One look does not follow another before so many milliseconds, unless it left some out.
  private static let lookPause: Int64 = 100
  /// Newcomers for whom all loops look for room at the same time.
  static let searchesAtOnce = 64

  /// What the configuration allows, and no more than there are descriptors for.
  var connectionLimit: Int { min(configuration.limits.connections, Self.connectionBound(descriptors: descriptorRoom)) }

  /// Those that have been told to leave do not count, as far as this goes.
  private var leavingLimit: Int { Self.leavingLimit(of: connectionLimit) }

  static func leavingLimit(of connections: Int) -> Int { max(8, connections / 8) }

  /// So many that those which are leaving have descriptors too, and the rest of the process keeps its own.
  static func connectionBound(descriptors: Int) -> Int { max(1, min(descriptors / 9 * 8, descriptors - 8)) }

  /// One more is at the door of a full gateway.
  func takePart(in search: RoomSearch) {
    guard phase == .serving else { return end(search, served: false) }
    var search = search
    let idle = oldestIdle()
    switch search.heard(idle.flatMap { connections[$0]?.rank }, of: index) {
    case .ask(let loop): siblings[loop]?.postAlways(.roomSearch(search))
    case .makeRoom(let loop):
      if let sibling = siblings[loop] {
        sibling.postAlways(.makeRoom(search))
      } else {
        makeRoom(for: search)
      }
    case .turnAway: end(search, served: false)
    }
  }

  private func end(_ search: RoomSearch, served isServed: Bool) {
    register.endSearch()
    if !isServed { turnAway(search.newcomer) }
  }

  /// Tells the oldest idle connection to leave, and takes the newcomer in its place.
  func makeRoom(for search: RoomSearch) {
    guard phase == .serving, let id = oldestIdle(), let connection = connections[id],
      case .provider(let provider) = connection.role, register.beginLeaving(atMost: leavingLimit)
    else {
      if let again = search.again { takePart(in: again) } else { end(search, served: false) }
      return
    }
    evicted.insert(id)
    counters.connectionsEvicted += 1
    provider.leave(Refusal(.idleTimeout, "The gateway is full, and this connection was idle."), on: connection)
    touch(connection)
    end(search, served: admit(search.newcomer))
  }

  /// The one that would go first.
  private func oldestIdle() -> ConnectionID? {
    let now = loop.now.bootMilliseconds
    while let id = evictable.last, !isIdle(id, at: now) { evictable.removeLast() }
    // Strangers who have become idle since then go before all that is left.
    if let id = evictable.last, connections[id]?.isTrusted == false { return id }
    let isUsedUp = evictable.isEmpty && hasLeftSomeOut
    guard isUsedUp || now - lookedForIdleAt >= Self.lookPause else { return evictable.last }
    lookedForIdleAt = now
    let idle = connections.all.filter { isIdle($0.id, at: now) }.sorted { $0.rank < $1.rank }
    hasLeftSomeOut = idle.count > Self.candidates
    evictable = idle.prefix(Self.candidates).reversed().map(\.id)
    return evictable.last
  }

  private func isIdle(_ id: ConnectionID, at now: Int64) -> Bool {
    guard let connection = connections[id], connection.isOpen, case .provider(let provider) = connection.role else {
      return false
    }
    return provider.farewell == nil && !provider.isHoldingStream && connection.http2.openStreams == 0
      && now - connection.lastInput >= Self.idleTime
  }

  /// How often requests that take too long are looked for; milliseconds.
  static let overduePeriod: Int64 = 5000

  /// A request that comes drop by drop would keep its place and its memory for ever.
  func endOverdueRequests() {
    let limit = loop.now.bootMilliseconds - configuration.limits.requestTimeout.wholeMilliseconds
    if limit > 0 {
      for connection in connections.all where connection.isOpen && connection.http2.openStreams > 0 {
        let count = connection.http2.resetOverdue(begunBefore: UInt64(limit))
        guard count > 0 else { continue }
        counters.requestsOverdue += UInt64(count)
        touch(connection)
      }
    }
    loop.schedule(after: Self.overduePeriod, self, token: Timer.overdue)
  }

  func endHandshake() {
    handshakes.end()
    register.handshakeEnded(on: index)
  }

  /// The oldest handshake makes room for the newest: an honest one takes two round trips, and is over by then.
  func beginHandshake(_ id: ConnectionID) {
    handshakes.begin(id)
    handshakes.tidy { connections[$0]?.isHandshaking == true }
    guard let loop = register.handshakeBegan(on: index, atMost: configuration.limits.handshakes) else { return }
    if let sibling = siblings[loop] {
      sibling.postAlways(.perform { $0.endOldestHandshake() })
    } else {
      endOldestHandshake()
    }
  }

  private func endOldestHandshake() {
    guard let oldest = handshakes.popOldest(where: { connections[$0]?.isHandshaking == true }) else { return }
    counters.handshakesFailed += 1
    connections[oldest]?.close()
  }
}

extension HTTPConnection {
  /// When it would have to go among those that are idle.
  fileprivate var rank: RoomSearch.Rank { RoomSearch.Rank(isTrusted: isTrusted, lastInput: lastInput) }

  /// It has shown a credential that was good.
  fileprivate var isTrusted: Bool {
    if case .provider(let provider) = role { provider.session.isAuthenticated } else { false }
  }
}
