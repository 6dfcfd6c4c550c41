import GatewayCore
import GatewayIO

/// New connections: who may come in, and what they are for.
extension LoopWorker: ConnectionAcceptor {
  func acceptFailed(_ error: SystemCallError, on listener: Listener) {
    log.warning("cannot accept a connection", (.listener, "\(listener.address)"), (.cause, "\(error)"))
  }

  func accepted(_ descriptor: consuming FileDescriptor, from peer: PeerAddress, on listener: Listener) {
    guard let door = listeners.firstIndex(where: { $0.listener === listener }), phase == .serving else {
      counters.connectionsRefused += 1
      return
    }
    let newcomer = Newcomer(descriptor: descriptor.release(), peer: peer, door: door)
    guard !admit(newcomer) else { return }
    guard register.beginSearch(atMost: Self.searchesAtOnce) else { return turnAway(newcomer) }
    takePart(in: RoomSearch(for: newcomer, among: siblings.count))
  }

  /// Gives a newcomer to the loop that has the fewest connections, or sends it away for its address.
  /// - Returns: false when the gateway is full.
  func admit(_ newcomer: Newcomer) -> Bool {
    let limit = configuration.limits.connectionsPerAddress
    switch register.admit(newcomer.peer.host, atMost: connectionLimit, perAddress: limit) {
    case .admitted(let loop):
      counters.connectionsAccepted += 1
      if let sibling = siblings[loop] { sibling.postAlways(.newcomer(newcomer)) } else { serve(newcomer) }
      return true
    case .tooManyOfAddress:
      turnAway(newcomer)
      return true
    case .full: return false
    }
  }

  func turnAway(_ newcomer: Newcomer) {
    counters.connectionsRefused += 1
    newcomer.turnAway()
  }

  /// Serves a connection that was admitted, by this loop or by another.
  func serve(_ newcomer: Newcomer) {
    let descriptor = FileDescriptor(owning: newcomer.descriptor)
    let (peer, door) = (newcomer.peer, newcomer.door)
    guard phase == .serving else { return release(peer) }
    let kind = listeners[door].kind
    let id = connections.reserve()
    do {
      let connection = try connect(consume descriptor, id, peer, kind, place: door)
      connections.insert(connection)
      beginHandshake(id)
      switch kind {
      case .provider(let provider):
        providerCount += 1
        try start(connection, idleTimeout: provider.idleTimeout.wholeMilliseconds, tick: 0)
      case .device(let device):
        deviceCount += 1
        try start(connection, idleTimeout: 600_000, tick: device.heartbeat.wholeMilliseconds)
      }
    } catch {
      if let connection = connections[id] {
        connection.close()
      } else {
        connections.remove(id)
        release(peer)
      }
      log.warning("cannot serve a connection", (.peer, "\(peer.address)"), (.cause, "\(error)"))
    }
  }

  private func start(_ connection: HTTPConnection, idleTimeout: Int64, tick: Int64) throws(SystemCallError) {
    try connection.start(
      handshakeTimeout: configuration.limits.handshakeTimeout.wholeMilliseconds, idleTimeout: idleTimeout, tick: tick)
  }

  /// What requests of one connection may hold in memory: of a provider before and after it has shown a good credential,
  /// and of a device. The first is room for the heads of the thousand pushes that a client may begin at once on a fresh
  /// connection (design §5); a thousand whole pushes are less than the second.
  private static let strangersRequestMemory = 1 << 20
  static let providersRequestMemory = 8 << 20
  private static let devicesRequestMemory = 1 << 20

  private enum Security {
    case cleartext
    case tls(TLSContext?)
  }

  private func connect(
    _ descriptor: consuming FileDescriptor, _ id: ConnectionID, _ peer: PeerAddress, _ kind: WorkerSetup.Door.Kind,
    place: Int
  ) throws -> HTTPConnection {
    var settings = HTTP2Settings()
    settings.headerListLimit = configuration.limits.headerListBytes
    // A minute's worth at once, and as many a minute in the long run.
    settings.resetBurst = configuration.limits.resetsPerMinute
    settings.resetsPerSecond = max(1, configuration.limits.resetsPerMinute / 60)
    let role: ConnectionRole
    let pool: HTTP2StreamPool
    let security: Security
    switch kind {
    case .provider(let provider):
      settings.maximumStreams = configuration.limits.streams
      settings.bodyLimit = PayloadValidator.maximumBytes
      settings.requestMemory = Self.strangersRequestMemory
      settings.bodyLimitExceptions = [
        HTTP2Settings.BodyLimit(pathPrefix: "/v1/apps/", bytes: FanOutRequest.maximumBodyBytes)
      ]
      security = provider.cleartext ? .cleartext : .tls(tlsContext(ofProvider: place))
      role = .provider(ProviderConnection(environment: provider.environment, listener: place, worker: self))
      pool = providerStreams
    case .device:
      settings.maximumStreams = 100
      settings.announcedStreams = 100
      settings.bodyLimit = DeviceLimits.bodyBytes
      settings.requestMemory = Self.devicesRequestMemory
      security = .tls(deviceTLSContext)
      role = .device(DeviceConnection(worker: self))
      pool = deviceStreams
      // Heartbeats are written all the time: what stays unacknowledged this long has nobody at its other end.
      descriptor.setUserTimeout(milliseconds: 60_000)
    }
    let transport: Transport
    switch security {
    case .cleartext: transport = Transport(plain: descriptor)
    case .tls(let context?): transport = try Transport(accepting: descriptor, context: context)
    case .tls(nil): throw GatewayError("a TLS listener has no certificate")
    }
    return HTTPConnection(
      id: id, transport: transport, http2: try HTTP2Connection(role: .server, settings: settings, pool: pool),
      role: role, peer: peer, worker: self)
  }

  func release(_ peer: PeerAddress, wasLeaving: Bool = false) {
    register.release(peer.host, from: index, wasLeaving: wasLeaving)
  }
}
