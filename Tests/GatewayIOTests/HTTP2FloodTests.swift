import GatewayIO
import HTTPMessage
import Testing

/// Protects memory and processor from a peer that makes work without asking for anything: each flood ends in GOAWAY
/// ENHANCE_YOUR_CALM, and what a peer may do in its normal life does not.
@Suite("HTTP/2 floods") struct HTTP2FloodTests {
  private let block = HTTP2Frame.block(HTTP2Frame.pushFields)

  private func expectCalmed(_ server: HTTP2ServerUnderTest) {
    let frames = server.sent()
    #expect(frames.last?.kind == HTTP2Frame.Kind.goAway)
    #expect(frames.last?.number(at: 4) == 11)
    #expect(server.connection.isFinished)
  }

  @Test("A rapid reset is borne up to its allowance and then ends the connection")
  func rapidReset() throws {
    let server = try HTTP2ServerUnderTest.greeted()
    var stream: UInt32 = 1
    func resetOne() throws {
      try server.receive([.headers(stream, block, ends: false), .reset(stream)])
      stream += 2
    }
    for _ in 0..<1000 { try resetOne() }
    #expect(server.sent().isEmpty)
    #expect(server.connection.openStreams == 0)
    #expect(throws: HTTP2Error.flooded(.resets)) { try resetOne() }
    expectCalmed(server)
    // Nothing piled up: one object served all thousand.
    #expect(server.pool.restingStreams <= 2)
  }

  @Test("A request that is reset as soon as it is whole gives back what it held, and no more")
  func requestMemoryAfterResets() throws {
    var settings = HTTP2Settings()
    settings.requestMemory = 50_000
    let server = try HTTP2ServerUnderTest.greeted(settings)
    server.answerAll()
    let body = [UInt8](repeating: 0x20, count: 3000)
    for stream in stride(from: UInt32(1), to: 101, by: 2) {
      try server.receive([
        .headers(stream, block, ends: false), .data(stream, body, ends: true), .reset(stream),
      ])
      _ = server.sent()
    }
    var refused = 0
    for stream in stride(from: UInt32(101), to: 201, by: 2) {
      try server.receive([.headers(stream, block, ends: false), .data(stream, body, ends: false)])
      refused += server.sent().count { $0.kind == HTTP2Frame.Kind.reset }
    }
    #expect(refused > 30, "what was given back twice would make room for more")
  }

  @Test("Requests that never end hold no more than their share: what exceeds it is refused, what is whole is served")
  func requestMemory() throws {
    var settings = HTTP2Settings()
    settings.requestMemory = 50_000
    let server = try HTTP2ServerUnderTest.greeted(settings)
    server.answerAll()
    let half = [UInt8](repeating: 0x20, count: 3000)
    var refused: [HTTP2Frame] = []
    for stream in stride(from: UInt32(1), to: 201, by: 2) {
      try server.receive([.headers(stream, block, ends: false), .data(stream, half, ends: false)])
      refused += server.sent().filter { $0.kind == HTTP2Frame.Kind.reset }
    }
    #expect(refused.allSatisfy { $0.number(at: 0) == 7 })
    #expect(server.connection.openStreams + refused.count == 100)
    #expect(server.connection.openStreams > 5 && server.connection.openStreams < 20)
    // The rest of the first is little, and its request is served; what it held is free for the next.
    try server.receive([.data(1, [0x20], ends: true)])
    _ = server.sent()
    #expect(server.events.contains("ended 1") && server.events.contains("closed 1 0"))
    server.events = []
    try server.receive([.headers(301, block, ends: false), .data(301, Array("{}".utf8), ends: true)])
    _ = server.sent()
    #expect(server.events.contains("ended 301"))
  }

  @Test("A request that is not whole in time is reset, one that waits for its answer is not")
  func overdueRequests() throws {
    let server = try HTTP2ServerUnderTest.greeted()
    try server.receive([
      .headers(1, block, ends: false), .headers(3, block, ends: true), .headers(5, block, ends: false),
      .data(5, [0x20], ends: false),
    ])
    server.now += 1000
    try server.receive([.headers(7, block, ends: false)])
    #expect(server.connection.resetOverdue(begunBefore: server.now - 500) == 2)
    server.events = []
    // It comes after all, and is nobody's any more.
    try server.receive([.data(5, [0x20], ends: true)])
    let resets = server.sent().filter { $0.kind == HTTP2Frame.Kind.reset }
    #expect(Set(resets.map(\.stream)) == [1, 5])
    #expect(resets.allSatisfy { $0.number(at: 0) == 8 })
    #expect(!server.events.contains("ended 5"))
    #expect(server.connection.openStreams == 2)
    #expect(server.connection.resetOverdue(begunBefore: server.now - 500) == 0)
  }

  @Test("Resets come back with time")
  func resetsRefill() throws {
    var settings = HTTP2Settings()
    settings.resetBurst = 10
    settings.resetsPerSecond = 5
    let server = try HTTP2ServerUnderTest.greeted(settings)
    var stream: UInt32 = 1
    func resetOne() throws {
      try server.receive([.headers(stream, block, ends: false), .reset(stream)])
      stream += 2
    }
    for _ in 0..<10 { try resetOne() }
    server.now += 1000
    for _ in 0..<5 { try resetOne() }
    #expect(throws: HTTP2Error.flooded(.resets)) { try resetOne() }
  }

  @Test("Streams that the peer makes us reset count as resets")
  func forcedResets() throws {
    var settings = HTTP2Settings()
    settings.resetBurst = 50
    let server = try HTTP2ServerUnderTest.greeted(settings)
    let broken = HTTP2Frame.block(HTTP2Frame.pushFields + [("x", "a\u{0}b")])
    #expect(throws: HTTP2Error.flooded(.resets)) {
      for index in 0..<60 {
        try server.receive([.headers(UInt32(index * 2 + 1), broken, ends: true)])
        _ = server.sent()
      }
    }
    expectCalmed(server)
  }

  @Test(
    "Frames that ask for nothing end the connection when they are too many",
    arguments: [
      HTTP2Frame.ping(), HTTP2Frame.settings(),
      HTTP2Frame(kind: HTTP2Frame.Kind.ping, flags: 1, payload: [0, 0, 0, 0, 0, 0, 0, 0]),
      HTTP2Frame.data(1, [], ends: false),
    ])
  func controlFrames(frame: HTTP2Frame) throws {
    let server = try HTTP2ServerUnderTest.greeted()
    try server.receive([.headers(1, block, ends: false)])
    for _ in 0..<400 { try server.receive([frame]) }
    #expect(!server.connection.isFinished)
    _ = server.sent()
    #expect(throws: HTTP2Error.flooded(.controlFrames)) {
      for _ in 0..<101 { try server.receive([frame]) }
    }
    expectCalmed(server)
  }

  @Test("PRIORITY frames are ignored, as APNs ignores them, and leave nothing behind")
  func priorities() throws {
    let server = try HTTP2ServerUnderTest.greeted()
    for stream in 0..<10_000 {
      try server.receive([
        HTTP2Frame(kind: HTTP2Frame.Kind.priority, stream: UInt32(stream * 2 + 1), payload: [0, 0, 0, 0, 7])
      ])
    }
    #expect(server.sent().isEmpty)
    #expect(server.connection.openStreams == 0)
    server.answerAll()
    try server.receive(HTTP2ServerUnderTest.request(1))
    #expect(server.sent() == [.headers(1, [0x88], ends: true)])
  }

  @Test("A PING every 15 seconds for a week is no flood")
  func steadyPings() throws {
    let server = try HTTP2ServerUnderTest.greeted()
    for _ in 0..<40_320 {
      server.now += 15_000
      try server.receive([.ping(7)])
      let answer = server.sent()
      guard answer.count == 1, answer[0].flags == 1, answer[0].payload == [UInt8](repeating: 7, count: 8) else {
        Issue.record("the answer to a PING was \(answer)")
        return
      }
    }
  }

  @Test("Thousands of PINGs in one read are a flood, not memory")
  func pingsAtOnce() throws {
    let server = try HTTP2ServerUnderTest.greeted()
    let many = (0..<4000).flatMap { _ in HTTP2Frame.ping().bytes }
    #expect(throws: HTTP2Error.flooded(.controlFrames)) { try server.receive(many) }
    expectCalmed(server)
  }

  @Test("A header block in too many CONTINUATION frames ends the connection")
  func continuations() throws {
    let server = try HTTP2ServerUnderTest.greeted()
    #expect(throws: HTTP2Error.flooded(.continuations)) {
      try server.receive([HTTP2Frame(kind: HTTP2Frame.Kind.headers, stream: 1, payload: block)])
      for _ in 0..<20 {
        try server.receive([
          HTTP2Frame(kind: HTTP2Frame.Kind.continuation, stream: 1, payload: HTTP2Frame.block([("x", "y")]))
        ])
      }
    }
    expectCalmed(server)
  }

  @Test("A peer that reads nothing cannot make answers pile up")
  func unreadAnswers() throws {
    let server = try HTTP2ServerUnderTest.greeted()
    var opened = 0
    #expect(throws: HTTP2Error.flooded(.unreadFrames)) {
      // Refused streams cost no object of ours, but a frame each.
      while opened < 100_000 {
        try server.receive((0..<100).map { .headers(UInt32((opened + $0) * 2 + 1), block, ends: false) })
        opened += 100
      }
    }
    #expect(opened <= 8000)
    #expect(server.connection.openStreams == 1000)
  }
}
