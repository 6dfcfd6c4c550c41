import GatewayIO
import HTTPMessage

/// A server's and a client's connection joined in memory.
final class HTTP2Pair {
  struct Response {
    var status = ""
    var fields: [(name: String, value: String)] = []
    var body: [UInt8] = []
    var dataFrames = 0
    var isEnded = false
    var closedWith: HTTP2ErrorCode?

    func field(_ name: String) -> String? { fields.first { $0.name == name }?.value }
  }

  let server: HTTP2Connection
  let client: HTTP2Connection
  let serverPool = HTTP2StreamPool()
  var responses: [Int32: Response] = [:]
  var serverEvents: [String] = []
  var clientEvents: [String] = []
  /// Called for every whole request.
  var answers: (HTTP2Connection, HTTP2Stream) -> Void
  /// The client reads what arrives. False: its window stays as it is.
  var clientReads = true

  init(server: HTTP2Settings = HTTP2Settings(), client: HTTP2Settings = HTTP2Settings()) throws {
    var client = client
    if client.bodyLimit == HTTP2Settings().bodyLimit { client.bodyLimit = 1 << 20 }
    self.server = try HTTP2Connection(role: .server, settings: server, pool: serverPool)
    self.client = try HTTP2Connection(role: .client, settings: client, pool: HTTP2StreamPool())
    answers = { connection, stream in
      var fields = OutgoingFields()
      fields.startResponse(status: 200)
      connection.respond(to: stream, fields)
    }
  }

  /// Submits a push and returns its stream's number.
  func push(path: String, fields extra: [(String, String)] = [], body: [UInt8] = Array("{}".utf8)) -> Int32? {
    var fields = OutgoingFields()
    fields.startRequest(method: "POST", path: Array(path.utf8), authority: Array("push.example".utf8))
    for (name, value) in extra { fields.append(copyingName: Array(name.utf8), Array(value.utf8), indexed: false) }
    return client.submitRequest(fields, body: body)?.id
  }

  /// Moves bytes both ways until neither side has more to say.
  func exchange() throws {
    var moved = true
    while moved {
      moved = try move(from: client, to: server)
      takeServerEvents()
      if try move(from: server, to: client) { moved = true }
      takeServerEvents()
      takeClientEvents()
    }
  }

  private func move(from sender: HTTP2Connection, to receiver: HTTP2Connection) throws -> Bool {
    let bytes = Self.drain(sender)
    guard !bytes.isEmpty else { return false }
    try bytes.withUnsafeBytes { try receiver.receive($0, at: 0) }
    return true
  }

  static func drain(_ connection: HTTP2Connection) -> [UInt8] {
    var all: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 16_384)
    while true {
      let count = buffer.withUnsafeMutableBytes { connection.drainOutput(into: $0) }
      all += buffer.prefix(count)
      if count < buffer.count { return all }
    }
  }

  func takeServerEvents() {
    while let event = server.nextEvent() {
      switch event {
      case .requestEnded(let stream):
        serverEvents.append("ended \(stream.id)")
        answers(server, stream)
        server.releaseRequest(of: stream)
      case .bodyExceededLimit(let stream): serverEvents.append("exceeded \(stream.id)")
      case .streamClosed(let stream, let code): serverEvents.append("closed \(stream.id) \(code.rawValue)")
      case .outputDrained(let stream): serverEvents.append("drained \(stream.id)")
      case .peerGoingAway(let last, let code): serverEvents.append("going \(last) \(code.rawValue)")
      case .settingsReceived: serverEvents.append("settings")
      case .pingAcknowledged: serverEvents.append("pong")
      case .responseHeaded, .dataReceived, .responseEnded: serverEvents.append("a client's event")
      }
    }
  }

  func takeClientEvents() {
    while let event = client.nextEvent() {
      switch event {
      case .responseHeaded(let stream):
        var response = Response(status: stream.headers.text(of: .status) ?? "")
        for name in FieldName.allCases where stream.headers.contains(name) {
          response.fields.append((String(describing: name.text), stream.headers.text(of: name) ?? ""))
        }
        responses[stream.id] = response
      case .dataReceived(let stream):
        guard clientReads else { continue }
        let body = stream.takeBody()
        responses[stream.id]?.body += body
        responses[stream.id]?.dataFrames += 1
      case .responseEnded(let stream): responses[stream.id]?.isEnded = true
      case .streamClosed(let stream, let code): responses[stream.id, default: Response()].closedWith = code
      case .bodyExceededLimit(let stream): clientEvents.append("exceeded \(stream.id)")
      case .outputDrained(let stream): clientEvents.append("drained \(stream.id)")
      case .peerGoingAway(let last, let code): clientEvents.append("going \(last) \(code.rawValue)")
      case .settingsReceived: clientEvents.append("settings \(client.peerMaximumStreams)")
      case .pingAcknowledged: clientEvents.append("pong")
      case .requestEnded: clientEvents.append("a server's event")
      }
    }
  }
}
