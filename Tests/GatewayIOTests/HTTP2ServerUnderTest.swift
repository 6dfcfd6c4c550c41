import GatewayIO
import HTTPMessage

/// A server's connection fed with raw frames, and what came of it.
final class HTTP2ServerUnderTest {
  let connection: HTTP2Connection
  let pool: HTTP2StreamPool
  var now: UInt64 = 1_000
  /// Events in short, in their order: `ended 1`.
  var events: [String] = []
  /// Called for every whole request.
  var answers: (HTTP2Connection, HTTP2Stream) -> Void = { _, _ in }
  /// Called for every body beyond its limit.
  var answersOversized: (HTTP2Connection, HTTP2Stream) -> Void = { _, _ in }

  init(_ settings: HTTP2Settings = HTTP2Settings(), pool: HTTP2StreamPool = HTTP2StreamPool()) throws {
    self.pool = pool
    connection = try HTTP2Connection(role: .server, settings: settings, pool: pool)
  }

  /// Preface and empty settings, the server's first frames thrown away.
  static func greeted(_ settings: HTTP2Settings = HTTP2Settings()) throws -> HTTP2ServerUnderTest {
    let server = try HTTP2ServerUnderTest(settings)
    try server.receive(HTTP2Frame.preface + HTTP2Frame.settings().bytes)
    _ = server.sent()
    server.events = []
    return server
  }

  func receive(_ frames: [HTTP2Frame]) throws { try receive(frames.flatMap(\.bytes)) }

  func receive(_ bytes: [UInt8]) throws {
    defer { takeEvents() }
    try bytes.withUnsafeBytes { try connection.receive($0, at: now) }
  }

  /// All that waits to be sent, taken `piece` bytes at a time.
  func sentBytes(piece: Int = 16_384) -> [UInt8] {
    var all: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: piece)
    while true {
      let count = buffer.withUnsafeMutableBytes { connection.drainOutput(into: $0) }
      all += buffer.prefix(count)
      takeEvents()
      if count < piece { return all }
    }
  }

  func sent() -> [HTTP2Frame] { HTTP2Frame.parse(sentBytes()).frames }

  func takeEvents() {
    while let event = connection.nextEvent() {
      switch event {
      case .bodyExceededLimit(let stream):
        events.append("exceeded \(stream.id)")
        answersOversized(connection, stream)
      case .requestEnded(let stream):
        events.append("ended \(stream.id)")
        answers(connection, stream)
      case .streamClosed(let stream, let code): events.append("closed \(stream.id) \(code.rawValue)")
      case .outputDrained(let stream): events.append("drained \(stream.id)")
      case .peerGoingAway(let last, let code): events.append("going \(last) \(code.rawValue)")
      case .settingsReceived: events.append("settings")
      case .pingAcknowledged: events.append("pong")
      case .responseHeaded, .dataReceived, .responseEnded: events.append("a client's event")
      }
    }
  }

  /// Answers every request with an empty 200.
  func answerAll() {
    answers = { connection, stream in
      var fields = OutgoingFields()
      fields.startResponse(status: 200)
      connection.respond(to: stream, fields)
    }
  }

  static func request(_ stream: UInt32, body: [UInt8]? = Array("{}".utf8)) -> [HTTP2Frame] {
    let block = HTTP2Frame.block(HTTP2Frame.pushFields)
    guard let body else { return [.headers(stream, block, ends: true)] }
    return [.headers(stream, block, ends: false), .data(stream, body, ends: true)]
  }
}
