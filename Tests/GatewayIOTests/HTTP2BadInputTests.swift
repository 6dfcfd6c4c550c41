import GatewayIO
import HTTPMessage
import Testing

/// Protects the promise that a bad input is one clear answer and nothing else: the stream fails, the connection lives.
@Suite("HTTP/2 bad input") struct HTTP2BadInputTests {
  /// A push on another stream is answered as if nothing had happened.
  private func expectAlive(_ server: HTTP2ServerUnderTest, stream: UInt32) throws {
    server.answerAll()
    try server.receive(HTTP2ServerUnderTest.request(stream))
    #expect(server.sent().last == .headers(stream, [0x88], ends: true))
  }

  @Test("A header list of exactly the limit is kept, one octet more is not, and its request says so")
  func headerListLimit() throws {
    let server = try HTTP2ServerUnderTest.greeted()
    // RFC 9113 §10.5.1: name, value and 32 octets a field.
    let used = HTTP2Frame.pushFields.reduce(0) { $0 + $1.0.utf8.count + $1.1.utf8.count + 32 }
    let room = 8000 - used - 32 - "x-fill".utf8.count
    func frames(_ stream: UInt32, fill: Int) -> [HTTP2Frame] {
      let fields = HTTP2Frame.pushFields + [("x-fill", String(repeating: "f", count: fill))]
      return [.headers(stream, HTTP2Frame.block(fields), ends: true)]
    }
    try server.receive(frames(1, fill: room))
    #expect(server.events == ["ended 1"])
    #expect(server.connection.stream(1)?.headers.isOverLimit == false)
    try server.receive(frames(3, fill: room + 1))
    #expect(server.connection.stream(3)?.headers.isOverLimit == true)
    #expect(server.events == ["ended 1", "ended 3"])
    #expect(server.sent().isEmpty)
    try expectAlive(server, stream: 5)
  }

  /// A field of 4000 octets in HPACK's table, then a block of `count` octets that each stand for it once more.
  private func bomb(_ stream: UInt32, count: Int, head: [UInt8]) -> [HTTP2Frame] {
    let indexed: [UInt8] = [0x40, 1, UInt8(ascii: "x"), 0x7f, 0xa1, 0x1e] + [UInt8](repeating: 97, count: 4000)
    var rest = (head + indexed + [UInt8](repeating: 0xbe, count: count))[...]
    var frames: [HTTP2Frame] = []
    while !rest.isEmpty {
      let piece = Array(rest.prefix(16_384))
      rest = rest.dropFirst(16_384)
      frames.append(
        HTTP2Frame(
          kind: frames.isEmpty ? HTTP2Frame.Kind.headers : HTTP2Frame.Kind.continuation,
          flags: (rest.isEmpty ? HTTP2Frame.endHeaders : 0) | (frames.isEmpty ? HTTP2Frame.endStream : 0),
          stream: stream, payload: piece))
    }
    return frames
  }

  @Test(
    "A header list of many times the limit is read no further, and its stream is reset once", arguments: [false, true])
  func headerListCutOff(inTrailers: Bool) throws {
    let server = try HTTP2ServerUnderTest.greeted()
    let head = HTTP2Frame.block(HTTP2Frame.pushFields)
    if inTrailers { try server.receive([.headers(1, head, ends: false), .data(1, [1], ends: false)]) }
    try server.receive(bomb(1, count: 100_000, head: inTrailers ? [] : head))
    let size = server.connection.stream(1)?.headers.listSize ?? 0
    #expect(size < 8 * 8000 + 4100)
    #expect(server.sent() == [.reset(1, code: 11)])
    #expect(server.events.last == "closed 1 11")
    #expect(!server.events.contains("ended 1"))
    #expect(server.connection.openStreams == 0)
    // The table is the same on both sides: the field is still in it.
    server.answerAll()
    try server.receive([.headers(3, head + [0xbe], ends: true)])
    #expect(server.sent() == [.headers(3, [0x88], ends: true)])
  }

  @Test("A stream number that was left out and comes later ends the connection; one that was used does not")
  func lateNumber() throws {
    let server = try HTTP2ServerUnderTest.greeted()
    server.answerAll()
    for stream: UInt32 in [1, 3, 9, 11] {
      try server.receive(HTTP2ServerUnderTest.request(stream))
      #expect(server.sent().map(\.stream) == [stream])
    }
    try server.receive(HTTP2ServerUnderTest.request(3))
    #expect(server.sent().isEmpty)
    #expect(throws: HTTP2Error.violated) { try server.receive(HTTP2ServerUnderTest.request(7)) }
    let last = server.sent().last
    #expect(last?.kind == HTTP2Frame.Kind.goAway)
    #expect(last?.number(at: 4) == 1)
    #expect(server.connection.isFinished)
  }

  @Test("PRIORITY on the connection itself ends it")
  func priorityOfConnection() throws {
    let server = try HTTP2ServerUnderTest.greeted()
    let frame = HTTP2Frame(kind: HTTP2Frame.Kind.priority, payload: [0, 0, 0, 0, 15])
    #expect(throws: HTTP2Error.violated) { try server.receive([frame]) }
    #expect(server.sent().last?.number(at: 4) == 1)
  }

  @Test("The answer to a HEAD has no DATA frame")
  func head() throws {
    let server = try HTTP2ServerUnderTest.greeted()
    server.answers = { connection, stream in
      var fields = OutgoingFields()
      fields.startResponse(status: 400)
      connection.respond(to: stream, fields, body: [1, 2, 3])
    }
    let fields = [(":method", "HEAD"), (":scheme", "https"), (":path", "/"), (":authority", "a")]
    try server.receive([.headers(1, HTTP2Frame.block(fields), ends: true)])
    #expect(server.sent() == [.headers(1, [0x8c], ends: true)])
    try expectAlive(server, stream: 3)
  }

  @Test("Trailers with an invalid field make the request malformed")
  func malformedTrailers() throws {
    let server = try HTTP2ServerUnderTest.greeted()
    try server.receive([
      .headers(1, HTTP2Frame.block(HTTP2Frame.pushFields), ends: false),
      .headers(1, HTTP2Frame.block([("x", "a\u{0}b")]), ends: true),
    ])
    #expect(server.sent() == [.reset(1, code: 1)])
    #expect(!server.events.contains("ended 1"))
    try expectAlive(server, stream: 3)
  }

  @Test(
    "A malformed field list fails its stream alone",
    arguments: [
      [(":method", "POST"), (":scheme", "https")],
      HTTP2Frame.pushFields + [(":late", "pseudo")],
      HTTP2Frame.pushFields + [("x", "1"), (":path", "/")],
      HTTP2Frame.pushFields + [("Upper", "case")],
      HTTP2Frame.pushFields + [("authorization", "bearer a\u{0}b")],
      HTTP2Frame.pushFields + [("authorization", "bearer ab\r\n")],
      HTTP2Frame.pushFields + [("connection", "close")],
      HTTP2Frame.pushFields + [("content-length", "x")],
      HTTP2Frame.pushFields + [("content-length", "7")],
    ])
  func malformed(fields: [(String, String)]) throws {
    let server = try HTTP2ServerUnderTest.greeted()
    try server.receive([.headers(1, HTTP2Frame.block(fields), ends: true)])
    #expect(server.sent() == [.reset(1, code: 1)])
    #expect(!server.events.contains("ended 1"))
    #expect(server.events.last == "closed 1 1")
    #expect(server.connection.openStreams == 0)
    try expectAlive(server, stream: 3)
  }

  @Test("An oversized body is told once, thrown away, and its window given back")
  func oversizedBody() throws {
    var settings = HTTP2Settings()
    settings.bodyLimit = 4096
    let server = try HTTP2ServerUnderTest.greeted(settings)
    try server.receive([.headers(1, HTTP2Frame.block(HTTP2Frame.pushFields), ends: false)])
    var credited: UInt32 = 0
    for _ in 0..<20 {
      try server.receive([.data(1, [UInt8](repeating: 32, count: 16_384), ends: false)])
      for frame in server.sent() where frame.kind == HTTP2Frame.Kind.windowUpdate && frame.stream == 1 {
        credited += frame.number(at: 0)
      }
      #expect(server.connection.stream(1)?.body.isEmpty == true)
    }
    #expect(credited >= 20 * 16_384 - 65_535)
    try server.receive([.data(1, [], ends: true)])
    #expect(server.events == ["exceeded 1", "ended 1"])
    #expect(server.connection.stream(1)?.isBodyOverLimit == true)
    try expectAlive(server, stream: 3)
  }

  @Test("A body of exactly the limit is kept whole, also in pieces", arguments: [4096, 1000, 1])
  func bodyAtLimit(piece: Int) throws {
    let server = try HTTP2ServerUnderTest.greeted()
    var body: [UInt8] = []
    server.answers = { _, stream in body = stream.body }
    let sent = (0..<4096).map { UInt8(truncatingIfNeeded: $0) }
    try server.receive(
      [.headers(1, HTTP2Frame.block(HTTP2Frame.pushFields), ends: false)]
        + stride(from: 0, to: 4096, by: piece).map {
          .data(1, Array(sent[$0..<min($0 + piece, 4096)]), ends: $0 + piece >= 4096)
        })
    #expect(body == sent)
    #expect(!server.events.contains("exceeded 1"))
  }

  @Test("Paths may have limits of their own")
  func bodyLimitException() throws {
    var settings = HTTP2Settings()
    settings.bodyLimit = 10
    settings.bodyLimitExceptions = [HTTP2Settings.BodyLimit(pathPrefix: "/v1/", bytes: 20)]
    let server = try HTTP2ServerUnderTest.greeted(settings)
    func frames(_ stream: UInt32, path: String, size: Int) -> [HTTP2Frame] {
      let fields = [(":method", "POST"), (":scheme", "https"), (":path", path), ("host", "a")]
      return [
        .headers(stream, HTTP2Frame.block(fields), ends: false),
        .data(stream, [UInt8](repeating: 1, count: size), ends: true),
      ]
    }
    try server.receive(
      frames(1, path: "/v1/a", size: 20) + frames(3, path: "/v1/a", size: 21) + frames(5, path: "/3", size: 11))
    #expect(server.events.filter { $0.hasPrefix("exceeded") } == ["exceeded 3", "exceeded 5"])
  }

  @Test("Trailers end a request and are not merged into its fields")
  func trailers() throws {
    let server = try HTTP2ServerUnderTest.greeted()
    var topic: String?
    var hasPriority = true
    server.answers = { _, stream in
      topic = stream.headers.text(of: .apnsTopic)
      hasPriority = stream.headers.contains(.apnsPriority) || stream.headers.isRepeated(.apnsTopic)
    }
    try server.receive([
      .headers(1, HTTP2Frame.block(HTTP2Frame.pushFields + [("apns-topic", "first")]), ends: false),
      .data(1, [1], ends: false),
      .headers(1, HTTP2Frame.block([("apns-topic", "second"), ("apns-priority", "5")]), ends: true),
    ])
    #expect(server.events == ["ended 1"])
    #expect(topic == "first")
    #expect(!hasPriority)
  }

  @Test(
    "An empty closing DATA frame, no body at all, host without authority: all are requests",
    arguments: ["GET", "HEAD", "POST"])
  func plainRequests(method: String) throws {
    let server = try HTTP2ServerUnderTest.greeted()
    var seen: [String] = []
    server.answers = { _, stream in
      seen.append(
        "\(stream.headers.text(of: .method) ?? "") \(stream.headers.text(of: .host) ?? "-") \(stream.body.count)")
    }
    let fields = [(":method", method), (":scheme", "https"), (":path", "/x"), ("host", "push.example")]
    let block = HTTP2Frame.block(fields)
    try server.receive([
      .headers(1, block, ends: true),
      .headers(3, block, ends: false), .data(3, [], ends: true),
      .headers(5, block, ends: false), .data(5, [], ends: false), .data(5, [7], ends: false), .data(5, [], ends: true),
    ])
    #expect(seen == ["\(method) push.example 0", "\(method) push.example 0", "\(method) push.example 1"])
  }

  @Test("A repeated field is remembered, its first value kept")
  func repeated() throws {
    let server = try HTTP2ServerUnderTest.greeted()
    var first: String?
    var isRepeated = false
    server.answers = { _, stream in
      first = stream.headers.text(of: .apnsID)
      isRepeated = stream.headers.isRepeated(.apnsID)
    }
    let fields = HTTP2Frame.pushFields + [("apns-id", "one"), ("apns-id", "two")]
    try server.receive([.headers(1, HTTP2Frame.block(fields), ends: true)])
    #expect(first == "one")
    #expect(isRepeated)
  }

  @Test(
    "What is not HTTP/2 is named, and nothing is said in return",
    arguments: [
      "GET / HTTP/1.1\r\nhost: a\r\n\r\n", "\u{16}\u{3}\u{1}", "PRI * HTTP/2.0\r\n\r\nSX\r\n\r\n", "x",
    ])
  func badPreface(text: String) throws {
    let server = try HTTP2ServerUnderTest()
    #expect(throws: HTTP2Error.prefaceInvalid) { try server.receive(Array(text.utf8)) }
    #expect(server.sentBytes().isEmpty)
    #expect(server.connection.isFinished)
    #expect(throws: HTTP2Error.prefaceInvalid) { try server.receive([1]) }
  }

  @Test("A preface in single bytes is a preface")
  func slowPreface() throws {
    let server = try HTTP2ServerUnderTest()
    for byte in HTTP2Frame.preface + HTTP2Frame.settings().bytes { try server.receive([byte]) }
    #expect(server.events == ["settings"])
    try expectAlive(server, stream: 1)
  }

  @Test(
    "A broken frame ends the connection with a GOAWAY that names the error",
    arguments: [
      (HTTP2Frame.ping().bytes.map { $0 == 8 ? 7 : $0 }, UInt32(6)),
      (HTTP2Frame(kind: HTTP2Frame.Kind.data, stream: 0, payload: [1]).bytes, 1),
      (
        HTTP2Frame(kind: HTTP2Frame.Kind.headers, flags: 4, stream: 1, payload: [0xff, 0xff, 0xff, 0xff, 0xff, 0xff])
          .bytes, 9
      ),
      ([0x00, 0x40, 0x01, 0, 0, 0, 0, 0, 1], 6),
      (HTTP2Frame.windowUpdate(0, 0x7fff_ffff).bytes, 3),
    ] as [([UInt8], UInt32)])
  func brokenFrames(bytes: [UInt8], code: UInt32) throws {
    let server = try HTTP2ServerUnderTest.greeted()
    try server.receive(bytes)
    let frames = server.sent()
    #expect(frames.last?.kind == HTTP2Frame.Kind.goAway)
    #expect(frames.last?.number(at: 4) == code)
    #expect(server.connection.isFinished)
  }

  @Test("Noise after the preface ends in a closed connection, never in a trap", arguments: 0..<40)
  func noise(seed: UInt64) throws {
    var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
    func next() -> UInt8 {
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return UInt8(truncatingIfNeeded: state >> 24)
    }
    let server = try HTTP2ServerUnderTest.greeted()
    server.answerAll()
    var stream: UInt32 = 1
    do {
      for _ in 0..<300 where !server.connection.isFinished {
        // Frames whose heads are plausible and whose contents are not.
        var frame = HTTP2Frame(kind: next() % 11, flags: next(), stream: UInt32(next() % 8))
        frame.payload = (0..<Int(next() % 64)).map { _ in next() }
        try server.receive(next() < 64 ? HTTP2ServerUnderTest.request(stream) : [frame])
        stream += 2
        _ = server.sentBytes(piece: Int(next()) + 1)
      }
    } catch {
      _ = server.sentBytes()
      #expect(server.connection.isFinished)
    }
    #expect(server.connection.openStreams <= 300)
  }
}
