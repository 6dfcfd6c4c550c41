import GatewayIO
import HTTPMessage
import Testing

/// Protects the end of connections and the reuse of what they were made of.
@Suite("HTTP/2 lifecycle") struct HTTP2LifecycleTests {
  @Test("GOAWAY carries its reason to the client, and the connection is finished")
  func goAwayWithReason() throws {
    let pair = try HTTP2Pair()
    try pair.exchange()
    let reason = Array("{\"reason\":\"IdleTimeout\"}".utf8)
    pair.server.goAway(lastStreamID: 0, debugData: reason)
    #expect(!pair.server.isFinished)
    try pair.exchange()
    #expect(pair.client.peerDebugData == reason)
    #expect(pair.clientEvents.last == "going 0 0")
    #expect(pair.server.isFinished)
    #expect(pair.client.isFinished)
    #expect(pair.push(path: "/") == nil)
  }

  @Test("A GOAWAY lets open streams finish, and only then the connection")
  func goAwayWithOpenStreams() throws {
    let pair = try HTTP2Pair()
    var waiting: HTTP2Stream?
    pair.answers = { _, stream in waiting = stream }
    let id = try #require(pair.push(path: "/"))
    try pair.exchange()
    pair.server.goAway()
    try pair.exchange()
    #expect(!pair.server.isFinished)
    var fields = OutgoingFields()
    fields.startResponse(status: 200)
    pair.server.respond(to: try #require(waiting), fields)
    try pair.exchange()
    #expect(pair.responses[id]?.status == "200")
    #expect(pair.server.isFinished)
  }

  @Test("An orderly end says so first, and serves what was sent before the client knew")
  func twoPhases() throws {
    let pair = try HTTP2Pair()
    try pair.exchange()
    let id = try #require(pair.push(path: "/"))
    pair.server.announceShutdown()
    pair.server.ping()
    try pair.exchange()
    #expect(pair.clientEvents.contains("going 2147483647 0"))
    #expect(pair.serverEvents.contains("pong"))
    #expect(pair.responses[id]?.status == "200")
    pair.server.goAway()
    try pair.exchange()
    #expect(pair.server.isFinished)
    #expect(pair.client.isFinished)
  }

  @Test("A quiet goodbye follows the last answer in the same piece of output, and is the last frame")
  func quietGoodbye() throws {
    let server = try HTTP2ServerUnderTest.greeted()
    var waiting: [HTTP2Stream] = []
    server.answers = { _, stream in waiting.append(stream) }
    try server.receive(HTTP2ServerUnderTest.request(1) + HTTP2ServerUnderTest.request(3))
    server.connection.announceShutdown(debugData: [7], whenQuiet: true)
    #expect(server.sent().isEmpty)
    var fields = OutgoingFields()
    fields.startResponse(status: 400)
    server.connection.respond(to: waiting[0], fields, body: [1])
    #expect(server.sent().map(\.kind) == [HTTP2Frame.Kind.headers, HTTP2Frame.Kind.data])
    #expect(!server.connection.hasAnnouncedShutdown)
    server.connection.respond(to: waiting[1], fields, body: [1])
    let last = server.sent()
    #expect(last.map(\.kind) == [HTTP2Frame.Kind.headers, HTTP2Frame.Kind.data, HTTP2Frame.Kind.goAway])
    #expect(last.last?.payload == [0x7f, 0xff, 0xff, 0xff, 0, 0, 0, 0, 7])
    #expect(server.connection.hasAnnouncedShutdown)
    // What crosses it is served.
    server.answerAll()
    try server.receive(HTTP2ServerUnderTest.request(5))
    #expect(server.sent() == [.headers(5, [0x88], ends: true)])
  }

  @Test("A quiet goodbye needs an answer to follow, unless it is asked for again without that wish")
  func impatientGoodbye() throws {
    let idle = try HTTP2ServerUnderTest.greeted()
    idle.answerAll()
    idle.connection.announceShutdown(debugData: [7], whenQuiet: true)
    #expect(!idle.connection.wantsWrite)
    #expect(idle.sent().isEmpty)
    // A push may be on its way: this is how it would come.
    try idle.receive(HTTP2ServerUnderTest.request(1))
    #expect(idle.sent().map(\.kind) == [HTTP2Frame.Kind.headers, HTTP2Frame.Kind.goAway])

    let busy = try HTTP2ServerUnderTest.greeted()
    try busy.receive(HTTP2ServerUnderTest.request(1))
    busy.connection.announceShutdown(debugData: [7], whenQuiet: true)
    busy.connection.announceShutdown(whenQuiet: false)
    #expect(busy.sent().map(\.payload.last) == [7])
    #expect(!busy.connection.isFinished)
  }

  @Test("After a goodbye that names a last stream there is none that allows more")
  func noSecondThoughts() throws {
    let server = try HTTP2ServerUnderTest.greeted()
    try server.receive(HTTP2ServerUnderTest.request(1))
    server.connection.announceShutdown(whenQuiet: true)
    server.connection.goAway()
    server.connection.announceShutdown()
    let frames = server.sent()
    #expect(frames.map(\.kind) == [HTTP2Frame.Kind.goAway])
    #expect(frames.first?.number(at: 0) == 1)
  }

  @Test("A peer's GOAWAY is told with its code")
  func peerLeaves() throws {
    let pair = try HTTP2Pair()
    try pair.exchange()
    pair.client.goAway(code: .internalError, debugData: [1, 2])
    try pair.exchange()
    #expect(pair.serverEvents.last == "going 0 2")
    #expect(pair.server.peerDebugData == [1, 2])
  }

  @Test("A PING of ours is told when it is answered, once each")
  func pings() throws {
    let pair = try HTTP2Pair()
    pair.server.ping()
    pair.server.ping()
    try pair.exchange()
    #expect(pair.serverEvents.filter { $0 == "pong" }.count == 2)
  }

  @Test("Stream objects and bodies are used again: as many as were in use at once")
  func pooling() throws {
    let pair = try HTTP2Pair()
    for round in 0..<50 {
      for index in 0..<10 { #expect(pair.push(path: "/3/device/\(round)-\(index)") != nil) }
      try pair.exchange()
    }
    #expect(pair.responses.count == 500)
    #expect(pair.server.openStreams == 0)
    #expect(pair.serverPool.restingStreams <= 10)
    #expect(pair.serverPool.restingBodies <= 10)
  }

  @Test("A recycled stream remembers nothing of the one before")
  func recycled() throws {
    let server = try HTTP2ServerUnderTest.greeted()
    var seen: [String] = []
    server.answers = { connection, stream in
      seen.append("\(stream.headers.text(of: .apnsTopic) ?? "-") \(stream.body.count)")
      var fields = OutgoingFields()
      fields.startResponse(status: 400)
      connection.respond(to: stream, fields, body: [1, 2, 3])
    }
    let block = HTTP2Frame.block(HTTP2Frame.pushFields + [("apns-topic", "t")])
    try server.receive([.headers(1, block, ends: false), .data(1, [1, 2], ends: true)])
    #expect(server.sent().last == .data(1, [1, 2, 3], ends: true))
    try server.receive(HTTP2ServerUnderTest.request(3, body: nil))
    #expect(server.sent().last == .data(3, [1, 2, 3], ends: true))
    #expect(seen == ["t 2", "- 0"])
    #expect(server.pool.restingStreams == 1)
  }

  @Test("Streams open at the end of a connection go back to the pool")
  func abandonedConnection() throws {
    let pool = HTTP2StreamPool()
    do {
      let server = try HTTP2ServerUnderTest(pool: pool)
      let requests = (0..<5).flatMap { HTTP2ServerUnderTest.request(UInt32($0 * 2 + 1)).flatMap(\.bytes) }
      try server.receive(HTTP2Frame.preface + HTTP2Frame.settings().bytes + requests)
      #expect(server.connection.openStreams == 5)
      #expect(pool.restingStreams == 0)
    }
    #expect(pool.restingStreams == 5)
  }

  @Test("A large body's buffer is not kept")
  func largeBodies() throws {
    var settings = HTTP2Settings()
    settings.bodyLimit = 65_536
    let server = try HTTP2ServerUnderTest.greeted(settings)
    server.answers = { connection, stream in connection.releaseRequest(of: stream) }
    try server.receive([.headers(1, HTTP2Frame.block(HTTP2Frame.pushFields), ends: false)])
    for _ in 0..<3 { try server.receive([.data(1, [UInt8](repeating: 0, count: 16_384), ends: false)]) }
    try server.receive([.data(1, [], ends: true)])
    #expect(server.pool.restingBodies == 0)
    try server.receive(HTTP2ServerUnderTest.request(3))
    #expect(server.pool.restingBodies == 1)
  }

  @Test("A client whose stream is refused is told so")
  func refusedClient() throws {
    var serverSettings = HTTP2Settings()
    serverSettings.maximumStreams = 2
    let pair = try HTTP2Pair(server: serverSettings)
    pair.answers = { _, _ in }
    let ids = (0..<3).compactMap { _ in pair.push(path: "/") }
    try pair.exchange()
    #expect(ids.map { pair.responses[$0]?.closedWith } == [nil, nil, .refusedStream])
  }
}
