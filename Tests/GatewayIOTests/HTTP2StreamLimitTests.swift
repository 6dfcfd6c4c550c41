import GatewayIO
import HTTPMessage
import Testing

/// Protects design §5: SETTINGS says one stream until the first valid token, and surplus streams are served all the same,
/// since some clients drop a push that is refused.
@Suite("HTTP/2 stream limits") struct HTTP2StreamLimitTests {
  private func announcedStreams(_ frame: HTTP2Frame?) -> UInt32? {
    guard let frame, frame.kind == HTTP2Frame.Kind.settings else { return nil }
    for entry in stride(from: 0, to: frame.payload.count, by: 6) where frame.payload[entry + 1] == 3 {
      return frame.number(at: entry + 2)
    }
    return nil
  }

  @Test("The first frame is SETTINGS with one stream and the limits that APNs announces")
  func firstSettings() throws {
    let server = try HTTP2ServerUnderTest()
    let frames = server.sent()
    #expect(frames.count == 1)
    let payload = try #require(frames.first).payload
    let entries = stride(from: 0, to: payload.count, by: 6).map { entry in
      [UInt32(payload[entry + 1]), payload[entry + 2..<entry + 6].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }]
    }
    #expect(Set(entries) == [[1, 4096], [3, 1], [4, 65_535], [5, 16_384], [6, 8000]])
  }

  @Test("Raising sends a new SETTINGS with the new number")
  func raised() throws {
    let server = try HTTP2ServerUnderTest.greeted()
    server.connection.raiseAnnouncedStreams(to: 1000)
    let frames = server.sent()
    #expect(frames.count == 1)
    #expect(announcedStreams(frames.first) == 1000)
    // Both of ours are acknowledged: nghttp2 ends the connection on one acknowledgement too many, or a wrong count.
    try server.receive([.settingsAcknowledgement, .settingsAcknowledgement])
    #expect(server.sent().isEmpty)
    #expect(!server.connection.isFinished)
  }

  @Test("Raised before the first SETTINGS left, both numbers leave in their order")
  func raisedAtOnce() throws {
    let server = try HTTP2ServerUnderTest()
    server.connection.raiseAnnouncedStreams(to: 1000)
    #expect(server.sent().map(announcedStreams) == [1, 1000])
  }

  @Test("Raised from the start, the first SETTINGS says the number itself; later it takes one of its own")
  func raisedFromTheStart() throws {
    let server = try HTTP2ServerUnderTest()
    server.connection.raiseAnnouncedStreams(to: 1000, fromTheStart: true)
    #expect(server.sent().map(announcedStreams) == [1000])
    server.connection.raiseAnnouncedStreams(to: 2000, fromTheStart: true)
    #expect(server.sent().map(announcedStreams) == [2000])
  }

  @Test(
    "200 streams at once on a fresh connection are all served, before and after the acknowledgement",
    arguments: [false, true])
  func surplus(acknowledged: Bool) throws {
    let server = try HTTP2ServerUnderTest.greeted()
    if acknowledged { try server.receive([.settingsAcknowledgement]) }
    server.answerAll()
    let ids = (0..<200).map { UInt32($0 * 2 + 1) }
    // All are open before the first ends.
    let block = HTTP2Frame.block(HTTP2Frame.pushFields)
    try server.receive(ids.map { .headers($0, block, ends: false) })
    #expect(server.connection.openStreams == 200)
    try server.receive(ids.map { .data($0, Array("{}".utf8), ends: true) })
    let frames = server.sent()
    #expect(frames == ids.map { .headers($0, [0x88], ends: true) })
    #expect(server.connection.openStreams == 0)
  }

  @Test("A client that assumes many streams has all its pushes answered")
  func optimisticClient() throws {
    var settings = HTTP2Settings()
    settings.assumedPeerStreams = 1000
    let pair = try HTTP2Pair(client: settings)
    for index in 0..<200 { #expect(pair.push(path: "/3/device/\(index)") != nil) }
    try pair.exchange()
    #expect(pair.responses.count == 200)
    #expect(pair.responses.values.allSatisfy { $0.status == "200" && $0.isEnded })
    #expect(pair.clientEvents.first == "settings 1")
    pair.server.raiseAnnouncedStreams(to: 1000)
    try pair.exchange()
    #expect(pair.clientEvents.last == "settings 1000")
  }

  @Test("Beyond the limit a stream is refused and the connection lives", arguments: [false, true])
  func refused(acknowledged: Bool) throws {
    let server = try HTTP2ServerUnderTest.greeted()
    if acknowledged {
      server.connection.raiseAnnouncedStreams(to: 1000)
      _ = server.sent()
      try server.receive([.settingsAcknowledgement, .settingsAcknowledgement])
    }
    let block = HTTP2Frame.block(HTTP2Frame.pushFields)
    try server.receive((0..<1002).map { .headers(UInt32($0 * 2 + 1), block, ends: false) })
    #expect(server.connection.openStreams == 1000)
    let refusals = server.sent()
    #expect(Set(refusals.map(\.stream)) == [2001, 2003])
    #expect(refusals.allSatisfy { $0.kind == HTTP2Frame.Kind.reset && $0.number(at: 0) == 7 })
    #expect(!server.events.contains { $0.contains("2001") })

    // What the client sent on it meanwhile is no fault, and the others go on.
    server.answerAll()
    try server.receive([.data(2001, [1, 2, 3], ends: true), .data(1, [], ends: true)])
    #expect(server.sent() == [.headers(1, [0x88], ends: true)])
    try server.receive(HTTP2ServerUnderTest.request(2005))
    #expect(server.sent() == [.headers(2005, [0x88], ends: true)])
  }
}
