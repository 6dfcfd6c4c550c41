/// Cuts a `text/event-stream` into events as its bytes come (HTML Living Standard, §9.2.6). Bytes may be cut anywhere.
struct EventStreamReader {
  struct Event: Equatable {
    var name = ""
    var id = ""
    var data = ""
  }

  /// One event of the gateway has at most 64 widgets of 1 KiB and a payload of 4 KiB, escaped.
  static let longestLine = 1 << 20

  private var line: [UInt8] = []
  private var current = Event()
  private var hasFields = false
  /// The last byte was CR, and a LF that follows belongs to it.
  private var sawReturn = false
  private(set) var isBroken = false

  /// - Returns: the events that became whole.
  mutating func feed(_ bytes: [UInt8]) -> [Event] {
    var events: [Event] = []
    for byte in bytes where !isBroken {
      switch byte {
      case UInt8(ascii: "\n") where sawReturn: sawReturn = false
      case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
        sawReturn = byte == UInt8(ascii: "\r")
        if let event = endLine() { events.append(event) }
      default:
        sawReturn = false
        line.append(byte)
        isBroken = line.count > Self.longestLine
      }
    }
    return events
  }

  private mutating func endLine() -> Event? {
    defer { line.removeAll(keepingCapacity: true) }
    guard !line.isEmpty else {
      defer {
        current = Event()
        hasFields = false
      }
      return hasFields ? current : nil
    }
    let parts = line.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
    var value = parts.count == 2 ? parts[1] : []
    if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
    let text = String(decoding: value, as: UTF8.self)
    switch String(decoding: parts[0], as: UTF8.self) {
    case "event": current.name = text
    case "id": current.id = text
    case "data":
      current.data += current.data.isEmpty ? text : "\n" + text
      hasFields = true
    default: break  // a comment, or a field of a later time
    }
    return nil
  }
}
