import GatewayIO
import Glibc
import Testing

/// Protects the bytes of every connection, and that no peer can do more than lose its own.
@Suite("TLS transport") struct TLSTransportTests {
  @Test("A handshake succeeds in both versions and agrees on h2", arguments: TLSVersion.allCases)
  func versions(version: TLSVersion) throws {
    let pair = try TransportPair(client: try TestAuthority.clientContext(maximumVersion: version))
    let (server, client) = pair.handshake()
    #expect(server.isDone && client.isDone)
    #expect(pair.server.session?.version == version)
    #expect(pair.server.session?.negotiatedProtocol == "h2")
    #expect(pair.client.session?.negotiatedProtocol == "h2")
    #expect(pair.server.session?.cipherSuite.contains("AES") == true)
    #expect(pair.client.write(Array("ping".utf8)).isDone)
    #expect(pair.server.readAll().bytes == Array("ping".utf8))
    #expect(pair.server.write(Array("pong".utf8)).isDone)
    #expect(pair.client.readAll().bytes == Array("pong".utf8))
  }

  @Test(
    "A client without ALPN is served, and h2 is found behind other offers",
    arguments: [
      ([String](), String?.none), (["http/1.1", "h2"], "h2"), (["h2", "h2c"], "h2"),
    ])
  func alpn(offer: [String], agreed: String?) throws {
    let pair = try TransportPair(client: try TestAuthority.clientContext(protocols: offer))
    let (server, client) = pair.handshake()
    #expect(server.isDone && client.isDone)
    #expect(pair.server.session?.negotiatedProtocol == agreed)
  }

  @Test(
    "A client that offers other protocols only gets the alert that says so",
    arguments: [
      ["http/1.1"], ["h2c"], ["h"], ["h22", "spdy/3"],
    ])
  func wrongALPN(offer: [String]) throws {
    let pair = try TransportPair(client: try TestAuthority.clientContext(protocols: offer))
    let (server, client) = pair.handshake()
    #expect(server.failure?.description.contains("no application protocol") == true)
    #expect(client.failure?.description.contains("no application protocol") == true)
  }

  @Test(
    "Every name and address of the certificate is accepted",
    arguments: DevelopmentAuthority.names + DevelopmentAuthority.addresses)
  func names(host: String) throws {
    let (server, client) = try TransportPair(host: host).handshake()
    #expect(server.isDone && client.isDone)
  }

  @Test(
    "A client refuses a server with another name", arguments: ["example.com", "push.apple.com", "127.0.0.2", "::2"])
  func wrongName(host: String) throws {
    let (_, client) = try TransportPair(host: host).handshake()
    #expect(client.failure?.description.contains("mismatch") == true)
  }

  @Test("A client refuses an authority that it does not trust")
  func wrongAuthority() throws {
    let other = try DevelopmentAuthority.issue(wallSeconds: Int64(time(nil)))
    let pair = try TransportPair(client: try TLSContext.client(trust: .certificates(other.caCertificate)))
    let (_, client) = pair.handshake()
    #expect(client.failure?.description.contains("certificate") == true)
    let system = try TransportPair(client: try TLSContext.client(trust: .system))
    #expect(system.handshake().client.failure != nil)
  }

  @Test(
    "Megabytes arrive whole through small sockets, in writes that end early and are repeated from elsewhere",
    arguments: TLSVersion.allCases)
  func bigTransfer(version: TLSVersion) throws {
    let pair = try TransportPair(client: try TestAuthority.clientContext(maximumVersion: version))
    #expect(pair.handshake().server.isDone)
    var random = FastRandom(seed: 7)
    let sent = (0..<3_000_000).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    var received: [UInt8] = []
    var offset = 0
    var blocked = 0
    while received.count < sent.count {
      while offset < sent.count {
        // A new array each time: the address moves, the bytes stay.
        let step = pair.server.write(Array(sent[offset..<min(sent.count, offset + 100_000)]))
        if case .done(let count) = step {
          #expect(count > 0)
          offset += count
        } else {
          guard case .wouldBlockWrite = step else { return #expect(Bool(false), "\(step)") }
          blocked += 1
          break
        }
      }
      let (bytes, last) = pair.client.readAll(chunk: 10_000)
      received.append(contentsOf: bytes)
      guard case .wouldBlockRead = last else { return #expect(Bool(false), "\(last)") }
    }
    #expect(received == sent)
    #expect(blocked > 0)
  }

  @Test("What OpenSSL holds back shows as pending when the reader stops early")
  func pending() throws {
    let pair = try TransportPair()
    #expect(pair.handshake().server.isDone)
    #expect(pair.client.write(Array("one".utf8)).isDone)
    #expect(pair.client.write(Array("two".utf8)).isDone)
    var buffer = [UInt8](repeating: 0, count: 2)
    let step = buffer.withUnsafeMutableBytes { pair.server.read(into: $0) }
    guard case .done(2) = step else { return #expect(Bool(false), "\(step)") }
    #expect(pair.server.hasPending)
    #expect(pair.server.readAll().bytes == Array("etwo".utf8))
    #expect(!pair.server.hasPending)
  }

  @Test("An orderly end is seen by the peer after the last bytes, and the other direction still works")
  func orderlyEnd() throws {
    let pair = try TransportPair()
    #expect(pair.handshake().server.isDone)
    #expect(pair.server.write(Array("last".utf8)).isDone)
    #expect(pair.server.shutdown().isDone)
    let (bytes, last) = pair.client.readAll()
    #expect(bytes == Array("last".utf8))
    #expect(last.isPeerClosed)
    #expect(pair.client.write(Array("bye".utf8)).isDone)
    #expect(pair.server.readAll().bytes == Array("bye".utf8))
  }

  @Test("A peer that vanishes is a closed connection, whatever the moment", arguments: ["before", "within", "after"])
  func vanishes(moment: String) throws {
    let pair = try TransportPair()
    switch moment {
    case "within": #expect(pair.client.handshake().wouldBlock)
    case "after": #expect(pair.handshake().client.isDone)
    default: break
    }
    pair.client.close()
    #expect(!pair.client.isOpen)
    var step = pair.server.handshake()
    if moment == "within" { while step.wouldBlock { step = pair.server.handshake() } }
    if moment == "after" { step = pair.server.readAll().last }
    #expect(step.isPeerClosed || step.failure != nil)
    #expect(!step.isDone)
    // Nothing that follows can do harm.
    _ = pair.server.write(Array("anyone?".utf8))
    _ = pair.server.readAll()
    _ = pair.server.shutdown()
    pair.server.close()
    pair.server.close()
    #expect(pair.server.write([1]).failure == .alreadyFailed)
    #expect(pair.server.readAll().last.failure == .alreadyFailed)
    #expect(pair.server.handshake().failure == .alreadyFailed)
  }

  @Test("Writing to a peer that has gone is an end and no signal")
  func writesToNobody() throws {
    let pair = try TransportPair()
    #expect(pair.handshake().server.isDone)
    pair.client.close()
    var step = TransportStep.done(0)
    for _ in 0..<3 where step.isDone { step = pair.server.write(Array("x".utf8)) }
    #expect(step.isPeerClosed)
  }

  @Test(
    "Bytes that are no TLS fail the handshake and nothing else",
    arguments: [
      "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
      "\u{16}\u{3}\u{1}\u{0}\u{4}\u{1}\u{0}\u{0}\u{0}",
      String(repeating: "\u{0}", count: 4000),
    ])
  func garbage(text: String) throws {
    let pair = try FileDescriptor.pair()
    let (first, second) = pair.released()
    let server = try Transport(accepting: FileDescriptor(owning: first), context: try TestAuthority.serverContext())
    let peer = FileDescriptor(owning: second)
    send(text, over: peer)
    let step = server.handshake()
    #expect(step.failure != nil)
    #expect(server.handshake().failure == .alreadyFailed)
    #expect(server.write([1]).failure == .alreadyFailed)
    #expect(!server.hasPending)
  }

  @Test("Random bytes never trap, before the handshake or inside the connection", arguments: 0..<40)
  func randomBytes(seed: UInt64) throws {
    var random = FastRandom(seed: seed)
    let pair = try TransportPair()
    if seed % 2 == 0 { _ = pair.handshake() }
    let garbage = (0..<Int(random.next() % 3000) + 20).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    _ = write(pair.client.raw, garbage, garbage.count)
    pair.client.close()
    var step = pair.server.handshake()
    if step.isDone { step = pair.server.readAll().last }
    #expect(step.failure != nil || step.isPeerClosed)
  }

  @Test("One broken connection leaves no error behind for the next on the same thread")
  func errorQueue() throws {
    let good = try TransportPair()
    #expect(good.handshake().server.isDone)
    let bad = try TransportPair()
    send("not TLS at all", over: FileDescriptor(owning: dup(bad.client.raw)))
    #expect(bad.server.handshake().failure != nil)
    let step = good.server.readAll().last
    guard case .wouldBlockRead = step else { return #expect(Bool(false), "\(step)") }
  }

  @Test("New connections use a new context while those that are there keep theirs")
  func reload() throws {
    let old = try TransportPair()
    #expect(old.handshake().server.isDone)
    let fresh = try DevelopmentAuthority.issue(wallSeconds: Int64(time(nil)))
    let context = try TLSContext.server(certificateChain: fresh.serverCertificate, privateKey: fresh.serverKey)
    let new = try TransportPair(
      server: context, client: try TLSContext.client(trust: .certificates(fresh.caCertificate)))
    #expect(new.handshake().client.isDone)
    #expect(old.client.write([1, 2]).isDone)
    #expect(old.server.readAll().bytes == [1, 2])
  }

  @Test("A plain transport has the same steps")
  func plain() throws {
    let (first, second) = try FileDescriptor.pair().released()
    let left = Transport(plain: FileDescriptor(owning: first))
    let right = Transport(plain: FileDescriptor(owning: second))
    #expect(left.handshake().isDone)
    #expect(left.session == nil)
    #expect(right.readAll().last.wouldBlock)
    var sent = 0
    while case .done(let count) = left.write([UInt8](repeating: 9, count: 50_000)) { sent += count }
    #expect(left.write([1]).wouldBlock)
    #expect(right.readAll().bytes.count == sent)
    #expect(left.shutdown().isDone)
    #expect(right.readAll().last.isPeerClosed)
    left.close()
    #expect(right.write([1]).isPeerClosed)
    #expect(!left.hasPending)
  }

  @Test("Over a loop and TCP a whole echo works in both directions")
  func overLoop() throws {
    let loop = try EventLoop()
    let server = EchoServer(loop: loop, context: try TestAuthority.serverContext())
    let listener = Listener(try ListeningSocket(.tcp(host: "127.0.0.1", port: 0)), on: loop, acceptor: server)
    try listener.resume()
    let client = try Transport(
      connecting: FileDescriptor.connecting(to: listener.address), host: "127.0.0.1",
      context: try TestAuthority.clientContext())
    var handshaken = false
    var echoed: [UInt8] = []
    let probe = Probe()
    let registration = try loop.register(client.raw, for: [.readable, .writable], handler: probe)
    probe.onReady = { _ in
      if !handshaken {
        guard client.handshake().isDone else { return }
        handshaken = true
        #expect(client.write(Array("over the loop".utf8)).isDone)
        try? loop.modify(registration, to: .readable)
      }
      echoed += client.readAll().bytes
    }
    turn(loop) { echoed.count == 13 }
    #expect(echoed == Array("over the loop".utf8))
    loop.remove(registration)
    client.close()
    turn(loop) { server.connections == 0 }
    #expect(server.connections == 0)
    listener.pause()
  }
}

/// What a connection object looks like at its smallest.
private final class EchoConnection: EventHandler {
  let transport: Transport
  unowned let server: EchoServer
  var registration: Registration?

  init(_ transport: Transport, _ server: EchoServer) {
    self.transport = transport
    self.server = server
  }

  func ready(_ readiness: Readiness) {
    guard transport.handshake().isDone else { return }
    let (bytes, last) = transport.readAll()
    _ = transport.write(bytes)
    if !last.wouldBlock { server.close(self) }
  }
}

private final class EchoServer: ConnectionAcceptor {
  let loop: EventLoop
  let context: TLSContext
  var connections = 0

  init(loop: EventLoop, context: TLSContext) {
    self.loop = loop
    self.context = context
  }

  func accepted(_ descriptor: consuming FileDescriptor, from peer: PeerAddress, on listener: Listener) {
    guard let transport = try? Transport(accepting: descriptor, context: context) else { return }
    let connection = EchoConnection(transport, self)
    connection.registration = try? loop.register(transport.raw, for: .readable, handler: connection)
    connections += 1
  }

  func acceptFailed(_ error: SystemCallError, on listener: Listener) {}

  func close(_ connection: EchoConnection) {
    if let registration = connection.registration { loop.remove(registration) }
    connection.transport.close()
    connections -= 1
  }
}
