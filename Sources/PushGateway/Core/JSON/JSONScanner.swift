/// A strict reader of JSON text (RFC 8259) that goes over bytes once, without allocation and without recursion.
///
/// It checks and skips; whoever wants a value remembers where it stood. UTF-8 is checked as strictly as RFC 3629 says
/// and lone surrogates are refused, so that whatever passes can be read by every other parser.
///
/// The bytes are only borrowed: a scanner must not outlive the closure that gave it its pointer.
package struct JSONScanner {
  package static let maximumDepth = 64

  package enum ValueKind: Equatable, Sendable { case object, array, text, number, yes, no, null }

  package let bytes: UnsafeRawBufferPointer
  package private(set) var offset = 0

  /// Starts before the first value.
  package init(_ bytes: UnsafeRawBufferPointer) throws(JSONFault) {
    self.bytes = bytes
    if bytes.count >= 3, bytes[0] == 0xEF, bytes[1] == 0xBB, bytes[2] == 0xBF {
      throw JSONFault(.byteOrderMark, at: 0)
    }
    skipSpace()
  }

  /// Nothing but space may follow.
  package mutating func finish() throws(JSONFault) {
    skipSpace()
    if offset < bytes.count { throw JSONFault(.trailingContent, at: offset) }
  }

  /// What begins here. Only the first byte is looked at.
  package func peekKind() throws(JSONFault) -> ValueKind {
    guard offset < bytes.count else { throw JSONFault(.unexpectedEnd, at: offset) }
    switch bytes[offset] {
    case 0x7B: return .object
    case 0x5B: return .array
    case 0x22: return .text
    case 0x2D, 0x30...0x39: return .number
    case 0x74: return .yes
    case 0x66: return .no
    case 0x6E: return .null
    default: throw JSONFault(.expectedValue, at: offset)
    }
  }

  // MARK: Containers

  /// Steps into the object that begins here.
  /// - Returns: whether it has a member; ``key()`` comes next then.
  package mutating func enterObject() throws(JSONFault) -> Bool { try enter(closing: 0x7D) }

  /// Steps into the array that begins here.
  /// - Returns: whether it has an element, which comes next then.
  package mutating func enterArray() throws(JSONFault) -> Bool { try enter(closing: 0x5D) }

  private mutating func enter(closing: UInt8) throws(JSONFault) -> Bool {
    offset += 1
    skipSpace()
    guard offset < bytes.count else { throw JSONFault(.unexpectedEnd, at: offset) }
    guard bytes[offset] == closing else { return true }
    offset += 1
    return false
  }

  /// Reads a member's name and its colon; its value comes next.
  package mutating func key() throws(JSONFault) -> JSONText {
    guard offset < bytes.count else { throw JSONFault(.unexpectedEnd, at: offset) }
    guard bytes[offset] == 0x22 else { throw JSONFault(.expectedKey, at: offset) }
    let key = try text()
    skipSpace()
    guard offset < bytes.count else { throw JSONFault(.unexpectedEnd, at: offset) }
    guard bytes[offset] == 0x3A else { throw JSONFault(.expectedColon, at: offset) }
    offset += 1
    skipSpace()
    return key
  }

  /// To be called after a member's value.
  /// - Returns: whether there is another; the object has been left otherwise.
  package mutating func nextMember() throws(JSONFault) -> Bool { try next(closing: 0x7D) }

  /// As ``nextMember()``, of an array.
  package mutating func nextElement() throws(JSONFault) -> Bool { try next(closing: 0x5D) }

  private mutating func next(closing: UInt8) throws(JSONFault) -> Bool {
    skipSpace()
    guard offset < bytes.count else { throw JSONFault(.unexpectedEnd, at: offset) }
    if bytes[offset] == closing {
      offset += 1
      return false
    }
    guard bytes[offset] == 0x2C else { throw JSONFault(.expectedCommaOrEnd, at: offset) }
    let comma = offset
    offset += 1
    skipSpace()
    if offset < bytes.count, bytes[offset] == closing { throw JSONFault(.trailingComma, at: comma) }
    return true
  }

  // MARK: Values

  /// Checks one value and steps behind it. Containers are kept as bits of one word, so depth costs no stack.
  /// - Parameter depth: containers that are open around it.
  package mutating func skipValue(depth: Int) throws(JSONFault) {
    var level = 0
    /// One bit a container, innermost lowest; set for objects.
    var objects: UInt64 = 0
    while true {
      let kind = try peekKind()
      switch kind {
      case .object, .array:
        guard depth + level < Self.maximumDepth else { throw JSONFault(.tooDeep, at: offset) }
        if try kind == .object ? enterObject() : enterArray() {
          level += 1
          objects = objects << 1 | (kind == .object ? 1 : 0)
          if kind == .object { _ = try key() }
          continue
        }
      case .text: _ = try text()
      case .number: try skipNumber()
      case .yes: try skipLiteral("true")
      case .no: try skipLiteral("false")
      case .null: try skipLiteral("null")
      }
      while level > 0 {
        let isObject = objects & 1 == 1
        if try next(closing: isObject ? 0x7D : 0x5D) {
          if isObject { _ = try key() }
          break
        }
        level -= 1
        objects >>= 1
      }
      if level == 0 { return }
    }
  }

  private mutating func skipLiteral(_ word: StaticString) throws(JSONFault) {
    let length = word.utf8CodeUnitCount
    guard bytes.count - offset >= length,
      UnsafeRawBufferPointer(rebasing: bytes[offset..<(offset + length)]).equals(word)
    else { throw JSONFault(.badLiteral, at: offset) }
    offset += length
  }

  private mutating func skipNumber() throws(JSONFault) {
    let start = offset
    if bytes[offset] == 0x2D { offset += 1 }
    let first = offset
    guard skipDigits() else { throw JSONFault(.badNumber, at: start) }
    if bytes[first] == 0x30, offset - first > 1 { throw JSONFault(.badNumber, at: start) }
    if offset < bytes.count, bytes[offset] == 0x2E {
      offset += 1
      guard skipDigits() else { throw JSONFault(.badNumber, at: start) }
    }
    if offset < bytes.count, bytes[offset] | 0x20 == 0x65 {
      offset += 1
      if offset < bytes.count, bytes[offset] == 0x2B || bytes[offset] == 0x2D { offset += 1 }
      guard skipDigits() else { throw JSONFault(.badNumber, at: start) }
    }
  }

  /// - Returns: whether there was at least one.
  private mutating func skipDigits() -> Bool {
    let start = offset
    while offset < bytes.count, bytes[offset] >= 0x30, bytes[offset] <= 0x39 { offset += 1 }
    return offset > start
  }

  @inline(__always)
  private mutating func skipSpace() {
    while offset < bytes.count {
      switch bytes[offset] {
      case 0x20, 0x09, 0x0A, 0x0D: offset += 1
      default: return
      }
    }
  }

  // MARK: Text

  /// Checks the text whose quotation mark stands here and steps behind it.
  package mutating func text() throws(JSONFault) -> JSONText {
    offset += 1
    let start = offset
    var hasEscapes = false
    while true {
      skipPlainASCII()
      guard offset < bytes.count else { throw JSONFault(.unexpectedEnd, at: bytes.count) }
      let byte = bytes[offset]
      switch byte {
      case 0x22:
        let text = JSONText(start: start, end: offset, hasEscapes: hasEscapes)
        offset += 1
        return text
      case 0x5C:
        hasEscapes = true
        try skipEscape()
      case 0..<0x20: throw JSONFault(.controlCharacter, at: offset)
      case 0x80...: try skipMultiByte(first: byte)
      default: offset += 1
      }
    }
  }

  /// Steps over whole words that hold nothing special, then to the first byte that may be: a quotation mark, a
  /// reverse solidus, a control or a byte above ASCII. The lowest marked byte of a word is always a true hit; only
  /// bytes above it may be marked wrongly, by a borrow.
  @inline(__always)
  private mutating func skipPlainASCII() {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let tops: UInt64 = 0x8080_8080_8080_8080
    while offset + 8 <= bytes.count {
      let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
      let quote = word ^ (ones &* 0x22)
      let solidus = word ^ (ones &* 0x5C)
      let marked =
        (((quote &- ones) & ~quote) | ((solidus &- ones) & ~solidus) | ((word &- (ones &* 0x20)) & ~word) | word)
        & tops
      if marked != 0 {
        offset += marked.trailingZeroBitCount >> 3
        return
      }
      offset += 8
    }
  }

  private mutating func skipEscape() throws(JSONFault) {
    let start = offset
    guard offset + 1 < bytes.count else { throw JSONFault(.unexpectedEnd, at: bytes.count) }
    switch bytes[offset + 1] {
    case 0x22, 0x5C, 0x2F, 0x62, 0x66, 0x6E, 0x72, 0x74:
      offset += 2
    case 0x75:
      let unit = try hexUnit(at: offset + 2, escape: start)
      offset += 6
      if unit & 0xFC00 == 0xDC00 { throw JSONFault(.loneSurrogate, at: start) }
      if unit & 0xFC00 == 0xD800 {
        guard offset + 1 < bytes.count, bytes[offset] == 0x5C, bytes[offset + 1] == 0x75 else {
          throw JSONFault(.loneSurrogate, at: start)
        }
        guard try hexUnit(at: offset + 2, escape: offset) & 0xFC00 == 0xDC00 else {
          throw JSONFault(.loneSurrogate, at: start)
        }
        offset += 6
      }
    default:
      throw JSONFault(.badEscape, at: start)
    }
  }

  private func hexUnit(at position: Int, escape: Int) throws(JSONFault) -> UInt32 {
    guard position + 4 <= bytes.count else { throw JSONFault(.unexpectedEnd, at: bytes.count) }
    guard let unit = JSONText.hexUnit(bytes, at: position) else { throw JSONFault(.badEscape, at: escape) }
    return unit
  }

  /// RFC 3629 §4: no overlong form, no surrogate, nothing above U+10FFFF.
  private mutating func skipMultiByte(first: UInt8) throws(JSONFault) {
    let length: Int
    var second: ClosedRange<UInt8> = 0x80...0xBF
    switch first {
    case 0xC2...0xDF: length = 2
    case 0xE0: (length, second) = (3, 0xA0...0xBF)
    case 0xED: (length, second) = (3, 0x80...0x9F)
    case 0xE1...0xEF: length = 3
    case 0xF0: (length, second) = (4, 0x90...0xBF)
    case 0xF4: (length, second) = (4, 0x80...0x8F)
    case 0xF1...0xF3: length = 4
    default: throw JSONFault(.notUTF8, at: offset)
    }
    guard offset + length <= bytes.count, second.contains(bytes[offset + 1]) else {
      throw JSONFault(.notUTF8, at: offset)
    }
    for position in (offset + 2)..<(offset + length) where bytes[position] & 0xC0 != 0x80 {
      throw JSONFault(.notUTF8, at: offset)
    }
    offset += length
  }
}
