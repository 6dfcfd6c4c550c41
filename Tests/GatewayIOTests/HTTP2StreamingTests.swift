import GatewayIO
import HTTPMessage
import Testing

/// Protects the event stream of devices: a hand-over happens only when the stream's output is empty, and a stalled reader
/// costs no more than what was written for it.
@Suite("HTTP/2 streaming") struct HTTP2StreamingTests {
  private func openStream(_ server: HTTP2ServerUnderTest, _ id: UInt32 = 1) throws -> HTTP2Stream {
    try server.receive(HTTP2ServerUnderTest.request(id, body: nil))
    let stream = try #require(server.connection.stream(Int32(id)))
    var fields = OutgoingFields()
    fields.startResponse(status: 200)
    server.connection.openStream(stream, fields)
    return stream
  }

  @Test("A stream opens with HEADERS alone, and each write is one DATA frame")
  func writes() throws {
    let server = try HTTP2ServerUnderTest.greeted()
    let stream = try openStream(server)
    #expect(server.sent() == [.headers(1, [0x88], ends: false)])
    #expect(server.connection.isOutputEmpty(of: stream))
    #expect(!server.connection.wantsWrite)
    for piece in ["one", "two"] {
      server.connection.write(Array(piece.utf8), to: stream)
      #expect(!server.connection.isOutputEmpty(of: stream))
      #expect(server.connection.wantsWrite)
      #expect(server.sent() == [.data(1, Array(piece.utf8), ends: false)])
      #expect(server.connection.isOutputEmpty(of: stream))
    }
    #expect(server.events == ["ended 1", "drained 1", "drained 1"])
    server.connection.endStream(stream)
    #expect(server.sent() == [.data(1, [], ends: true)])
    #expect(server.events.last == "closed 1 0")
  }

  @Test("The end rides on the last octets that are still to leave")
  func endWithData() throws {
    let server = try HTTP2ServerUnderTest.greeted()
    let stream = try openStream(server)
    server.connection.write([1, 2, 3], to: stream)
    server.connection.endStream(stream)
    server.connection.write([4], to: stream)
    #expect(server.sent() == [.headers(1, [0x88], ends: false), .data(1, [1, 2, 3], ends: true)])
  }

  @Test("Output is empty when the last byte is taken, and that is told once")
  func partlyTaken() throws {
    let server = try HTTP2ServerUnderTest.greeted()
    let stream = try openStream(server)
    _ = server.sent()
    server.connection.write([UInt8](repeating: 65, count: 50), to: stream)
    var byte = [UInt8](repeating: 0, count: 1)
    for taken in 1...59 {
      let count = byte.withUnsafeMutableBytes { server.connection.drainOutput(into: $0) }
      server.takeEvents()
      #expect(count == 1)
      #expect(server.connection.isOutputEmpty(of: stream) == (taken == 59))
      #expect(server.events.contains("drained 1") == (taken == 59))
    }
    #expect(server.sentBytes().isEmpty)
    #expect(server.events.filter { $0 == "drained 1" }.count == 1)
  }

  @Test("A closed window holds the output; opening it lets out exactly what was written")
  func stalledWindow() throws {
    let server = try HTTP2ServerUnderTest()
    // The client's initial window is 10 octets.
    try server.receive(HTTP2Frame.preface + HTTP2Frame.settings([(4, 10)]).bytes)
    let stream = try openStream(server)
    _ = server.sent()
    let text = (0..<100).map { UInt8($0) }
    server.connection.write(text, to: stream)
    #expect(server.sent() == [.data(1, Array(text[..<10]), ends: false)])
    #expect(!server.connection.isOutputEmpty(of: stream))
    #expect(stream.unframedOutput == 90)
    #expect(!server.connection.wantsWrite)
    #expect(!server.events.contains("drained 1"))

    // Another stream is not held up, beyond the connection's own window.
    server.answerAll()
    try server.receive(HTTP2ServerUnderTest.request(3))
    #expect(server.sent() == [.headers(3, [0x88], ends: true)])

    try server.receive([.windowUpdate(1, 90)])
    #expect(server.sent() == [.data(1, Array(text[10...]), ends: false)])
    #expect(server.events.last == "drained 1")
    #expect(server.connection.isOutputEmpty(of: stream))
  }

  @Test("A stream that the peer leaves is closed with its code, and writing to it is nothing")
  func abandoned() throws {
    let server = try HTTP2ServerUnderTest.greeted()
    let stream = try openStream(server)
    server.connection.write([1], to: stream)
    try server.receive([.reset(1)])
    #expect(server.events.last == "closed 1 8")
    server.connection.write([2], to: stream)
    server.connection.endStream(stream)
    server.connection.reset(stream, code: .cancel)
    #expect(server.sent().filter { $0.kind == HTTP2Frame.Kind.data }.isEmpty)
    #expect(server.connection.stream(1) == nil)
    #expect(!server.connection.isFinished)
  }

  @Test("A client reads an event stream piece by piece")
  func clientReads() throws {
    let pair = try HTTP2Pair()
    var events: HTTP2Stream?
    pair.answers = { connection, stream in
      var fields = OutgoingFields()
      fields.startResponse(status: 200)
      fields.append(.contentType, "text/event-stream")
      connection.openStream(stream, fields)
      events = stream
    }
    let id = try #require(pair.push(path: "/v1/devices/x/updates", body: []))
    try pair.exchange()
    let stream = try #require(events)
    #expect(pair.responses[id]?.field("content-type") == "text/event-stream")
    // More than the window, so that credit must flow back.
    for round in 0..<20 {
      pair.server.write([UInt8](repeating: UInt8(round), count: 10_000), to: stream)
      try pair.exchange()
      #expect(pair.responses[id]?.body.count == (round + 1) * 10_000)
    }
    pair.server.endStream(stream)
    try pair.exchange()
    #expect(pair.responses[id]?.isEnded == true)
    #expect(pair.responses[id]?.closedWith == .noError)
  }

  @Test("A client that gives no credit stalls its stream, and lets it go on when it does")
  func slowClient() throws {
    var settings = HTTP2Settings()
    settings.creditsAutomatically = false
    settings.initialWindow = 1000
    let pair = try HTTP2Pair(client: settings)
    var events: HTTP2Stream?
    pair.answers = { connection, stream in
      var fields = OutgoingFields()
      fields.startResponse(status: 200)
      connection.openStream(stream, fields)
      events = stream
    }
    let id = try #require(pair.push(path: "/", body: []))
    try pair.exchange()
    let stream = try #require(events)
    pair.server.write([UInt8](repeating: 1, count: 1500), to: stream)
    try pair.exchange()
    #expect(pair.responses[id]?.body.count == 1000)
    #expect(!pair.server.isOutputEmpty(of: stream))
    let reader = try #require(pair.client.stream(id))
    pair.client.credit(1000, to: reader)
    try pair.exchange()
    #expect(pair.responses[id]?.body.count == 1500)
    #expect(pair.server.isOutputEmpty(of: stream))
  }

  @Test("A request body can be written in pieces")
  func streamedRequest() throws {
    let pair = try HTTP2Pair()
    var body: [UInt8] = []
    pair.answers = { _, stream in body = stream.body }
    var fields = OutgoingFields()
    fields.startRequest(method: "POST", path: Array("/".utf8), authority: Array("a".utf8))
    let opened = pair.client.openRequest(fields)
    let stream = try #require(opened)
    try pair.exchange()
    pair.client.write([1, 2], to: stream)
    try pair.exchange()
    pair.client.write([3], to: stream)
    pair.client.endStream(stream)
    try pair.exchange()
    #expect(body == [1, 2, 3])
  }
}
