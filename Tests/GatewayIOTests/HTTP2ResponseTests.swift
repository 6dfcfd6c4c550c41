import GatewayIO
import HTTPMessage
import Testing

/// Protects the framing that client libraries depend on: aioapns takes each DATA frame for a whole JSON text, Pushy never
/// finishes on an error without a body.
@Suite("HTTP/2 responses") struct HTTP2ResponseTests {
  private func serve(
    _ frames: [HTTP2Frame], _ answer: @escaping (HTTP2Connection, HTTP2Stream) -> Void
  ) throws -> [HTTP2Frame] {
    let server = try HTTP2ServerUnderTest.greeted()
    server.answers = answer
    try server.receive(frames)
    return server.sent()
  }

  @Test("A 200 is one HEADERS frame with END_STREAM and nothing else")
  func success() throws {
    let frames = try serve(HTTP2ServerUnderTest.request(1)) { connection, stream in
      var fields = OutgoingFields()
      fields.startResponse(status: 200)
      connection.respond(to: stream, fields)
    }
    // 0x88: `:status 200` of HPACK's static table (RFC 7541 appendix A).
    #expect(frames == [.headers(1, [0x88], ends: true)])
  }

  @Test("An error is HEADERS and exactly one DATA frame with END_STREAM", arguments: [1, 20, 512, 16_384])
  func failure(size: Int) throws {
    let body = (0..<size).map { UInt8(truncatingIfNeeded: $0) }
    let frames = try serve(HTTP2ServerUnderTest.request(1)) { connection, stream in
      var fields = OutgoingFields()
      fields.startResponse(status: 400)
      connection.respond(to: stream, fields, body: body)
    }
    // 0x8c: `:status 400`.
    #expect(frames == [.headers(1, [0x8c], ends: false), .data(1, body, ends: true)])
  }

  @Test("An empty body is the same as none")
  func emptyBody() throws {
    let frames = try serve(HTTP2ServerUnderTest.request(1)) { connection, stream in
      var fields = OutgoingFields()
      fields.startResponse(status: 204)
      connection.respond(to: stream, fields, body: [])
    }
    #expect(frames.map(\.kind) == [HTTP2Frame.Kind.headers])
    #expect(frames.first?.flags == HTTP2Frame.endHeaders | HTTP2Frame.endStream)
  }

  @Test("Of values that do not come again only the first gets into the HPACK table, for the sake of its name")
  func neverIndexed() throws {
    let server = try HTTP2ServerUnderTest.greeted()
    server.answers = { connection, stream in
      var fields = OutgoingFields()
      fields.startResponse(status: 200)
      // 0, 1 and 2 are equally long in HPACK's Huffman code.
      fields.append(.apnsID, Array("0000000\(stream.id / 2)".utf8), indexed: false)
      connection.respond(to: stream, fields)
    }
    try server.receive([1, 3, 5].flatMap { HTTP2ServerUnderTest.request($0) })
    let blocks = server.sent().map(\.payload)
    // 0x40: literal with incremental indexing and a name of its own (RFC 7541 §6.2.1). 0x1f 0x2f: literal never indexed
    // (§6.2.3), its name the newest of the dynamic table: 15 + 47 = 62.
    #expect(blocks.map { $0.prefix(3) } == [[0x88, 0x40, 0x85], [0x88, 0x1F, 0x2F], [0x88, 0x1F, 0x2F]])
    #expect(blocks[1].count == blocks[2].count)
    #expect(blocks[0].count > blocks[1].count)
  }

  @Test("A name is taught on each connection anew, whatever else uses the same list of fields")
  func taughtPerConnection() throws {
    var fields = OutgoingFields()
    fields.startResponse(status: 200)
    fields.append(.apnsID, Array("00000001".utf8), indexed: false)
    for _ in 1...2 {
      let server = try HTTP2ServerUnderTest.greeted()
      try server.receive(HTTP2ServerUnderTest.request(1))
      let stream = try #require(server.connection.stream(1))
      server.connection.respond(to: stream, fields)
      #expect(server.sent().first?.payload.prefix(2) == [0x88, 0x40])
    }
  }

  @Test("Lists that outgrow their room arrive as they were written")
  func longLists() throws {
    let pair = try HTTP2Pair()
    let values = (0..<40).map { String(repeating: "\($0 % 10)", count: 1 + $0 * 3) }
    pair.answers = { connection, stream in
      var fields = OutgoingFields()
      fields.startResponse(status: 200)
      for (place, value) in values.enumerated() {
        fields.append(copyingName: Array("x-\(place)".utf8), Array(value.utf8), indexed: false)
      }
      fields.append(.location, Array(values.joined().utf8.prefix(900)))
      fields.open(.gatewayRefresh, indexed: false)
      for value in values.prefix(12) { fields.write(Array(value.utf8)) }
      connection.respond(to: stream, fields)
    }
    let id = try #require(pair.push(path: "/"))
    try pair.exchange()
    #expect(pair.responses[id]?.field("location") == String(values.joined().prefix(900)))
    #expect(pair.responses[id]?.field("gateway-refresh") == values.prefix(12).joined())
  }

  @Test("Whole numbers are written in decimals", arguments: [0, 7, 10, 4711, -1, Int.max, Int.min])
  func numbers(_ number: Int) throws {
    let pair = try HTTP2Pair()
    pair.answers = { connection, stream in
      var fields = OutgoingFields()
      fields.startResponse(status: 200)
      fields.append(.retryAfter, integer: number)
      connection.respond(to: stream, fields)
    }
    let id = try #require(pair.push(path: "/"))
    try pair.exchange()
    #expect(pair.responses[id]?.field("retry-after") == "\(number)")
  }

  @Test("Fields are sent byte for byte, whatever way they were written")
  func fields() throws {
    let pair = try HTTP2Pair()
    let id = "aB3f0000-1111-2222-3333-444455556666"
    pair.answers = { connection, stream in
      var fields = OutgoingFields()
      fields.startResponse(status: 429)
      fields.append(.apnsID, Array(id.utf8), indexed: false)
      fields.append("retry-after", integer: 50)
      fields.append("location", [UInt8]())
      fields.open(.gatewayRefresh, indexed: false)
      fields.write(ascii: "sent=")
      fields.write(integer: 0)
      fields.write(ascii: ", retry=")
      fields.write(integer: -907)
      connection.respond(to: stream, fields, body: Array("{}".utf8))
    }
    let stream = try #require(pair.push(path: "/3/device/ab"))
    try pair.exchange()
    let response = try #require(pair.responses[stream])
    #expect(response.status == "429")
    #expect(response.field("apns-id") == id)
    #expect(response.field("retry-after") == "50")
    #expect(response.field("location") == "")
    #expect(response.field("gateway-refresh") == "sent=0, retry=-907")
    #expect(response.body == Array("{}".utf8))
    #expect(response.dataFrames == 1)
  }

  @Test("A response taken one byte at a time is the same bytes")
  func partialDrains() throws {
    func bytes(piece: Int) throws -> [UInt8] {
      let server = try HTTP2ServerUnderTest()
      server.answers = { connection, stream in
        var fields = OutgoingFields()
        fields.startResponse(status: 400)
        fields.append(.contentType, "application/json")
        connection.respond(to: stream, fields, body: Array("{\"reason\":\"BadPath\"}".utf8))
      }
      try server.receive(
        HTTP2Frame.preface + HTTP2Frame.settings().bytes
          + (0..<20).flatMap { HTTP2ServerUnderTest.request(UInt32($0 * 2 + 1)).flatMap(\.bytes) })
      return server.sentBytes(piece: piece)
    }
    let whole = try bytes(piece: 16_384)
    #expect(try bytes(piece: 1) == whole)
    #expect(try bytes(piece: 7) == whole)
    #expect(HTTP2Frame.parse(whole).rest.isEmpty)
  }

  @Test("A second answer to a stream, or one to a closed stream, changes nothing")
  func answeredTwice() throws {
    let server = try HTTP2ServerUnderTest.greeted()
    var kept: HTTP2Stream?
    server.answers = { connection, stream in
      var fields = OutgoingFields()
      fields.startResponse(status: 200)
      connection.respond(to: stream, fields)
      connection.respond(to: stream, fields, body: [1])
      kept = stream
    }
    try server.receive(HTTP2ServerUnderTest.request(1))
    #expect(server.sent() == [.headers(1, [0x88], ends: true)])
    let stream = try #require(kept)
    server.answers(server.connection, stream)
    #expect(server.sent().isEmpty)
    #expect(server.connection.stream(1) == nil)
  }

  @Test("An early answer leaves whole, and only then asks the client to stop sending")
  func answeredEarly() throws {
    var settings = HTTP2Settings()
    settings.bodyLimit = 100
    let server = try HTTP2ServerUnderTest.greeted(settings)
    let body = Array("{\"reason\":\"PayloadTooLarge\"}".utf8)
    server.answersOversized = { connection, stream in
      var fields = OutgoingFields()
      fields.startResponse(status: 413)
      connection.respondEarly(to: stream, fields, body: body)
    }
    try server.receive([
      .headers(1, HTTP2Frame.block(HTTP2Frame.pushFields), ends: false),
      .data(1, [UInt8](repeating: 32, count: 101), ends: false),
    ])
    let frames = server.sent()
    #expect(frames.map(\.kind) == [HTTP2Frame.Kind.headers, HTTP2Frame.Kind.data, HTTP2Frame.Kind.reset])
    #expect(frames[1] == .data(1, body, ends: true))
    #expect(frames[2] == .reset(1, code: 0))
    #expect(server.events == ["exceeded 1", "closed 1 0"])
  }
}
