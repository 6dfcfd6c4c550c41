/// Reads a JSON text into a ``JSONValue``, exactly as RFC 8259 has it.
///
/// Foundation's decoder is not used here for three reasons, all of them seen: it says nothing of where a text is
/// wrong, it lets a trailing comma and a number like `01` pass, and of a key that comes twice it silently takes one.
package struct JSONParser {
  /// Deeper texts are refused, so that recursion is bounded whatever arrives. Our own shapes need four.
  package static let maximumDepth = 32

  private let text: UnsafeRawBufferPointer
  private var position = 0
  private var depth = 0

  package static func parse(_ text: UnsafeRawBufferPointer) throws(JSONSyntaxError) -> JSONValue {
    var parser = JSONParser(text: text)
    parser.skipSpace()
    let value = try parser.value()
    parser.skipSpace()
    guard parser.position == text.count else { throw parser.failure("more text after the end of the value") }
    return value
  }

  private init(text: UnsafeRawBufferPointer) { self.text = text }

  // MARK: - Values

  private mutating func value() throws(JSONSyntaxError) -> JSONValue {
    guard let first = peek() else { throw failure("the text ends where a value should stand") }
    switch first {
    case UInt8(ascii: "{"): return try nested { (parser) throws(JSONSyntaxError) in try parser.object() }
    case UInt8(ascii: "["): return try nested { (parser) throws(JSONSyntaxError) in try parser.array() }
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"): return try literal("true", .bool(true))
    case UInt8(ascii: "f"): return try literal("false", .bool(false))
    case UInt8(ascii: "n"): return try literal("null", .null)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number(try number())
    default: throw failure("\(described(first)) where a value should stand")
    }
  }

  private mutating func nested(
    _ body: (inout JSONParser) throws(JSONSyntaxError) -> JSONValue
  ) throws(JSONSyntaxError) -> JSONValue {
    guard depth < Self.maximumDepth else { throw failure("more than \(Self.maximumDepth) levels deep") }
    depth += 1
    defer { depth -= 1 }
    position += 1
    skipSpace()
    return try body(&self)
  }

  private mutating func object() throws(JSONSyntaxError) -> JSONValue {
    var members: [JSONValue.Member] = []
    // A dictionary only to find what comes twice; an array of 32 thousand keys must not be searched 32 thousand times.
    var keys: Set<String> = []
    if take(UInt8(ascii: "}")) { return .object(members) }
    while true {
      let start = position
      guard peek() == UInt8(ascii: "\"") else {
        throw failure("\(described(peek())) where a key in quotation marks should stand")
      }
      let key = try string()
      guard keys.insert(key).inserted else {
        throw JSONSyntaxError(offset: start, problem: "the key \(InputQuote(key)) comes twice")
      }
      skipSpace()
      guard take(UInt8(ascii: ":")) else { throw failure("\(described(peek())) where a colon should stand") }
      skipSpace()
      members.append(JSONValue.Member(key: key, value: try value()))
      skipSpace()
      if take(UInt8(ascii: "}")) { return .object(members) }
      guard take(UInt8(ascii: ",")) else {
        throw failure("\(described(peek())) where a comma or the object's end should stand")
      }
      skipSpace()
      if peek() == UInt8(ascii: "}") { throw failure("a comma before the object's end") }
    }
  }

  private mutating func array() throws(JSONSyntaxError) -> JSONValue {
    var elements: [JSONValue] = []
    if take(UInt8(ascii: "]")) { return .array(elements) }
    while true {
      elements.append(try value())
      skipSpace()
      if take(UInt8(ascii: "]")) { return .array(elements) }
      guard take(UInt8(ascii: ",")) else {
        throw failure("\(described(peek())) where a comma or the array's end should stand")
      }
      skipSpace()
      if peek() == UInt8(ascii: "]") { throw failure("a comma before the array's end") }
    }
  }

  private mutating func literal(_ word: String, _ value: JSONValue) throws(JSONSyntaxError) -> JSONValue {
    let start = position
    for byte in word.utf8 {
      guard take(byte) else {
        throw JSONSyntaxError(offset: start, problem: "a word that is not true, false or null")
      }
    }
    return value
  }

  // MARK: - Numbers

  private mutating func number() throws(JSONSyntaxError) -> String {
    let start = position
    _ = take(UInt8(ascii: "-"))
    if take(UInt8(ascii: "0")) {
      if isDigit(peek()) { throw JSONSyntaxError(offset: start, problem: "a number that begins with 0") }
    } else {
      try digits()
    }
    if take(UInt8(ascii: ".")) { try digits() }
    if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
      if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
      try digits()
    }
    return String(decoding: text[start..<position], as: UTF8.self)
  }

  private mutating func digits() throws(JSONSyntaxError) {
    guard isDigit(peek()) else { throw failure("\(described(peek())) where a digit should stand") }
    while isDigit(peek()) { position += 1 }
  }

  private func isDigit(_ byte: UInt8?) -> Bool {
    guard let byte else { return false }
    return (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  // MARK: - Strings

  private mutating func string() throws(JSONSyntaxError) -> String {
    let start = position
    position += 1
    var utf8: [UInt8] = []
    while let byte = peek() {
      switch byte {
      case UInt8(ascii: "\""):
        position += 1
        guard let result = String(validating: utf8, as: UTF8.self) else {
          throw JSONSyntaxError(offset: start, problem: "the text that begins here is not UTF-8")
        }
        return result
      case UInt8(ascii: "\\"):
        try escape(into: &utf8)
      case 0..<0x20:
        throw failure("\(described(byte)) within text, where it must be escaped")
      default:
        utf8.append(byte)
        position += 1
      }
    }
    throw JSONSyntaxError(offset: start, problem: "the text that begins here has no end")
  }

  private mutating func escape(into utf8: inout [UInt8]) throws(JSONSyntaxError) {
    let start = position
    position += 1
    guard let letter = peek() else { throw JSONSyntaxError(offset: start, problem: "an escape without its letter") }
    position += 1
    switch letter {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): utf8.append(letter)
    case UInt8(ascii: "b"): utf8.append(0x08)
    case UInt8(ascii: "f"): utf8.append(0x0C)
    case UInt8(ascii: "n"): utf8.append(0x0A)
    case UInt8(ascii: "r"): utf8.append(0x0D)
    case UInt8(ascii: "t"): utf8.append(0x09)
    case UInt8(ascii: "u"):
      var code = try hexDigits(from: start)
      if (0xD800..<0xDC00).contains(code) {
        let low = take(UInt8(ascii: "\\")) && take(UInt8(ascii: "u")) ? try hexDigits(from: start) : 0
        guard (0xDC00..<0xE000).contains(low) else {
          throw JSONSyntaxError(offset: start, problem: "half of a surrogate pair")
        }
        code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
      }
      guard let scalar = Unicode.Scalar(code) else {
        throw JSONSyntaxError(offset: start, problem: "half of a surrogate pair")
      }
      utf8.append(contentsOf: UTF8.encode(scalar).map { Array($0) } ?? [])
    default:
      throw JSONSyntaxError(offset: start, problem: "an escape that JSON does not know")
    }
  }

  private mutating func hexDigits(from start: Int) throws(JSONSyntaxError) -> UInt32 {
    var code: UInt32 = 0
    for _ in 0..<4 {
      switch peek() {
      case .some(let byte) where isDigit(byte): code = code << 4 + UInt32(byte - 0x30)
      case .some(let byte) where (0x41...0x46).contains(byte): code = code << 4 + UInt32(byte - 0x41 + 10)
      case .some(let byte) where (0x61...0x66).contains(byte): code = code << 4 + UInt32(byte - 0x61 + 10)
      default: throw JSONSyntaxError(offset: start, problem: "\\u without four hex digits")
      }
      position += 1
    }
    return code
  }

  // MARK: - Bytes

  private func peek() -> UInt8? { position < text.count ? text[position] : nil }

  private mutating func take(_ byte: UInt8) -> Bool {
    guard peek() == byte else { return false }
    position += 1
    return true
  }

  private mutating func skipSpace() {
    while let byte = peek(), byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 { position += 1 }
  }

  private func failure(_ problem: String) -> JSONSyntaxError { JSONSyntaxError(offset: position, problem: problem) }

  private func described(_ byte: UInt8?) -> String {
    switch byte {
    case nil: "the end of the text"
    case .some(let byte) where (0x21...0x7E).contains(byte): "'\(Unicode.Scalar(byte))'"
    case .some(0x0A), .some(0x0D): "a line break"
    case .some(0x09): "a tab"
    case .some(0x20): "a space"
    case .some(let byte): "the byte 0x\(String(byte, radix: 16, uppercase: true))"
    }
  }
}
