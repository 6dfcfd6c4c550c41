/// Writes JSON as bytes, for the answers and events that are too frequent for an encoder.
///
/// Commas are its own business: a key or a value is preceded by one exactly when what stands before it ends a value.
/// Everything else about the order of calls is the caller's.
package struct JSONTextWriter: Sendable {
  package var bytes: [UInt8]

  /// - Parameter buffer: what to append to; its storage is reused.
  package init(appendingTo buffer: [UInt8] = []) { bytes = buffer }

  package mutating func beginObject() {
    separate()
    bytes.append(UInt8(ascii: "{"))
  }

  package mutating func endObject() { bytes.append(UInt8(ascii: "}")) }

  package mutating func beginArray() {
    separate()
    bytes.append(UInt8(ascii: "["))
  }

  package mutating func endArray() { bytes.append(UInt8(ascii: "]")) }

  /// - Parameter name: written as it is, so it must need no escape.
  package mutating func key(_ name: StaticString) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    raw(name)
    bytes.append(UInt8(ascii: "\""))
    bytes.append(UInt8(ascii: ":"))
  }

  package mutating func string(_ text: String) {
    var copy = text
    copy.withUTF8 { quoted(UnsafeRawBufferPointer($0)) }
  }

  /// - Parameter utf8: text; what is no UTF-8 in it becomes U+FFFD.
  package mutating func string(utf8: UnsafeRawBufferPointer) {
    if utf8.allSatisfy({ $0 < 0x80 }) {
      quoted(utf8)
    } else {
      string(String(decoding: utf8, as: UTF8.self))
    }
  }

  package mutating func integer(_ value: some FixedWidthInteger) {
    separate()
    decimal(value)
  }

  package mutating func bool(_ value: Bool) {
    separate()
    raw(value ? "true" : "false")
  }

  package mutating func null() {
    separate()
    raw("null")
  }

  /// Puts JSON that was validated elsewhere in as one value, on one line: line breaks, which JSON allows between tokens
  /// only, become spaces. Bytes that are not JSON after all can garble this value but not begin another line.
  package mutating func embed(_ json: UnsafeRawBufferPointer) {
    separate()
    // Space at the end would hide from the next key that a value stands here.
    var end = json.count
    while end > 0, json[end - 1] <= 0x20 { end -= 1 }
    let start = bytes.count
    bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: json[..<end]))
    bytes.withUnsafeMutableBufferPointer { all in
      for index in start..<all.count where all[index] == 0x0A || all[index] == 0x0D { all[index] = 0x20 }
    }
  }

  // MARK: - Text around JSON, without commas

  package mutating func raw(_ text: StaticString) {
    bytes.append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  /// Decimal digits, with a sign where the value is negative.
  package mutating func decimal(_ value: some FixedWidthInteger) {
    if value < 0 { bytes.append(UInt8(ascii: "-")) }
    // 39 digits hold an integer of 128 bits.
    var digits = InlineArray<39, UInt8>(repeating: 0)
    var first = digits.count
    var rest = value.magnitude
    repeat {
      first -= 1
      digits[first] = 0x30 + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    } while rest > 0
    for index in first..<digits.count { bytes.append(digits[index]) }
  }

  // MARK: - Pieces

  private mutating func separate() {
    guard let last = bytes.last else { return }
    switch last {
    case UInt8(ascii: "}"), UInt8(ascii: "]"), UInt8(ascii: "\""), UInt8(ascii: "0")...UInt8(ascii: "9"),
      UInt8(ascii: "e"), UInt8(ascii: "l"):  // true, false, null
      bytes.append(UInt8(ascii: ","))
    default:
      break
    }
  }

  /// RFC 8259 §7: quotation mark, reverse solidus and U+0000 to U+001F must be escaped, nothing else.
  private mutating func quoted(_ utf8: UnsafeRawBufferPointer) {
    separate()
    bytes.append(UInt8(ascii: "\""))
    var start = 0
    for index in 0..<utf8.count {
      let byte = utf8[index]
      guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else { continue }
      bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: utf8[start..<index]))
      escape(byte)
      start = index + 1
    }
    bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: utf8[start...]))
    bytes.append(UInt8(ascii: "\""))
  }

  private mutating func escape(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "\""): raw("\\\"")
    case UInt8(ascii: "\\"): raw("\\\\")
    case 0x0A: raw("\\n")
    case 0x0D: raw("\\r")
    case 0x09: raw("\\t")
    default:
      raw("\\u00")
      bytes.append(byte < 0x10 ? 0x30 : 0x31)
      let low = byte & 15
      bytes.append(low < 10 ? 0x30 + low : 0x61 - 10 + low)
    }
  }
}
