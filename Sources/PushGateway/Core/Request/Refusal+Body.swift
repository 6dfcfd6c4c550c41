import TokenStore

extension Refusal {
  /// What an error's body may measure: some clients read no more than 1024 bytes, and one DATA frame has to hold it.
  package static let maximumBodyBytes = 512

  private static let ending: StaticString = "…\"}"

  /// Replaces `body` with the answer's JSON: `reason`, then `timestamp` on a 410, then `detail`, without spaces. A
  /// detail that does not fit is cut at a character and ends in `…`.
  package func writeBody(into body: inout [UInt8]) {
    body.removeAll(keepingCapacity: true)
    body.append(literal: "{\"reason\":\"")
    body.append(contentsOf: reason.rawValue.utf8)
    body.append(0x22)
    if let timestamp {
      body.append(literal: ",\"timestamp\":")
      body.append(decimal: timestamp.milliseconds)
    }
    if let detail {
      body.append(literal: ",\"detail\":\"")
      let room = Self.maximumBodyBytes - Self.ending.utf8CodeUnitCount
      var whole = body.count
      for scalar in detail.unicodeScalars {
        body.append(escaping: scalar)
        if body.count <= room { whole = body.count }
      }
      if body.count > Self.maximumBodyBytes - 2 {
        body.removeSubrange(whole...)
        body.append(literal: Self.ending)
        return
      }
      body.append(0x22)
    }
    body.append(0x7D)
  }

  /// A fresh copy of the body, for places that are not hot.
  package var body: [UInt8] {
    var bytes: [UInt8] = []
    writeBody(into: &bytes)
    return bytes
  }
}

extension [UInt8] {
  fileprivate mutating func append(literal text: StaticString) {
    append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  fileprivate mutating func append(decimal value: Int64) {
    if value < 0 { append(0x2D) }
    let first = count
    var rest = value.magnitude
    repeat {
      append(0x30 + UInt8(truncatingIfNeeded: rest % 10))
      rest /= 10
    } while rest > 0
    self[first...].reverse()
  }

  /// RFC 8259 §7: quotation mark, reverse solidus and controls must be escaped; U+2028 and U+2029 are for the sake of
  /// JavaScript, DEL and C1 controls for the sake of terminals.
  fileprivate mutating func append(escaping scalar: Unicode.Scalar) {
    switch scalar.value {
    case 0x22: append(literal: "\\\"")
    case 0x5C: append(literal: "\\\\")
    case 0x20...0x7E: append(UInt8(truncatingIfNeeded: scalar.value))
    case 0x0A: append(literal: "\\n")
    case 0...0x1F, 0x7F...0x9F, 0x2028, 0x2029:
      append(literal: "\\u")
      for shift in [12, 8, 4, 0] {
        let digit = UInt8(truncatingIfNeeded: scalar.value >> UInt32(shift)) & 15
        append(digit < 10 ? 0x30 + digit : 0x61 + digit - 10)
      }
    default:
      append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
    }
  }
}
