/// A frame in its bytes, written and read by hand so that tests see exactly what is on the wire.
struct HTTP2Frame: Equatable {
  enum Kind {
    static let data: UInt8 = 0x0
    static let headers: UInt8 = 0x1
    static let priority: UInt8 = 0x2
    static let reset: UInt8 = 0x3
    static let settings: UInt8 = 0x4
    static let ping: UInt8 = 0x6
    static let goAway: UInt8 = 0x7
    static let windowUpdate: UInt8 = 0x8
    static let continuation: UInt8 = 0x9
  }

  static let endStream: UInt8 = 0x1
  static let acknowledgement: UInt8 = 0x1
  static let endHeaders: UInt8 = 0x4
  static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)

  var kind: UInt8
  var flags: UInt8 = 0
  var stream: UInt32 = 0
  var payload: [UInt8] = []

  var bytes: [UInt8] {
    let count = payload.count
    var all: [UInt8] = [UInt8(count >> 16 & 0xff), UInt8(count >> 8 & 0xff), UInt8(count & 0xff), kind, flags]
    all += Self.octets(of: stream)
    return all + payload
  }

  /// The four octets at a place of the payload, as a number.
  func number(at offset: Int) -> UInt32 { payload[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) } }

  static func octets(of number: UInt32) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> UInt32($0)) }
  }

  /// Cuts bytes into frames; what is left over is not a whole frame.
  static func parse(_ bytes: [UInt8]) -> (frames: [HTTP2Frame], rest: [UInt8]) {
    var frames: [HTTP2Frame] = []
    var rest = bytes[...]
    while rest.count >= 9 {
      let head = Array(rest.prefix(9))
      let count = Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])
      guard rest.count >= 9 + count else { break }
      let stream = head[5...8].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7fff_ffff
      frames.append(
        HTTP2Frame(kind: head[3], flags: head[4], stream: stream, payload: Array(rest.dropFirst(9).prefix(count))))
      rest = rest.dropFirst(9 + count)
    }
    return (frames, Array(rest))
  }

  // MARK: Frames of a client

  static func settings(_ entries: [(UInt16, UInt32)] = []) -> HTTP2Frame {
    let payload = entries.flatMap { [UInt8($0.0 >> 8), UInt8($0.0 & 0xff)] + octets(of: $0.1) }
    return HTTP2Frame(kind: Kind.settings, payload: payload)
  }

  static let settingsAcknowledgement = HTTP2Frame(kind: Kind.settings, flags: acknowledgement)

  static func ping(_ mark: UInt8 = 0) -> HTTP2Frame {
    HTTP2Frame(kind: Kind.ping, payload: [UInt8](repeating: mark, count: 8))
  }

  static func headers(_ stream: UInt32, _ block: [UInt8], ends: Bool) -> HTTP2Frame {
    HTTP2Frame(kind: Kind.headers, flags: endHeaders | (ends ? endStream : 0), stream: stream, payload: block)
  }

  static func data(_ stream: UInt32, _ payload: [UInt8], ends: Bool) -> HTTP2Frame {
    HTTP2Frame(kind: Kind.data, flags: ends ? endStream : 0, stream: stream, payload: payload)
  }

  static func reset(_ stream: UInt32, code: UInt32 = 8) -> HTTP2Frame {
    HTTP2Frame(kind: Kind.reset, stream: stream, payload: octets(of: code))
  }

  static func windowUpdate(_ stream: UInt32, _ increment: UInt32) -> HTTP2Frame {
    HTTP2Frame(kind: Kind.windowUpdate, stream: stream, payload: octets(of: increment))
  }

  /// A header block of literals that are neither indexed nor Huffman-coded (RFC 7541 §6.2.2): no table, so blocks can be
  /// put together in any order.
  static func block(_ fields: [(String, String)]) -> [UInt8] {
    fields.flatMap { field in [0] + literal(field.0) + literal(field.1) }
  }

  private static func literal(_ text: String) -> [UInt8] {
    var rest = text.utf8.count
    guard rest >= 127 else { return [UInt8(rest)] + Array(text.utf8) }
    var head: [UInt8] = [127]
    rest -= 127
    while rest >= 128 {
      head.append(UInt8(rest % 128 + 128))
      rest /= 128
    }
    return head + [UInt8(rest)] + Array(text.utf8)
  }

  static let pushFields = [
    (":method", "POST"), (":scheme", "https"), (":path", "/3/device/00ff"), (":authority", "push.example"),
  ]
}
