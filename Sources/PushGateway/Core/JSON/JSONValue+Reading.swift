extension JSONValue {
  /// Reads a whole text, exactly as RFC 8259 has it; an object in which a key comes twice is refused.
  ///
  /// Foundation's decoder is not used here for three reasons, all of them seen: it says nothing of where a text is
  /// wrong, it lets a trailing comma and a number like `01` pass, and of a key that comes twice it silently takes one.
  package init(reading text: UnsafeRawBufferPointer) throws(JSONFault) {
    var scanner = try JSONScanner(text)
    self = try JSONValue(next: &scanner, depth: 0)
    try scanner.finish()
  }

  /// - Parameter depth: containers that are open around the value. Bounded as the scanner's own, and so is recursion.
  private init(next scanner: inout JSONScanner, depth: Int) throws(JSONFault) {
    let start = scanner.offset
    let kind = try scanner.peekKind()
    switch kind {
    case .object, .array:
      guard depth < JSONScanner.maximumDepth else { throw JSONFault(.tooDeep, at: start) }
      self =
        kind == .object
        ? .object(try Self.members(&scanner, depth: depth + 1)) : .array(try Self.elements(&scanner, depth: depth + 1))
    case .text: self = .string(try scanner.text().string(in: scanner.bytes))
    case .number, .yes, .no, .null:
      try scanner.skipValue(depth: depth)
      switch kind {
      case .yes: self = .bool(true)
      case .no: self = .bool(false)
      case .null: self = .null
      default: self = .number(String(decoding: scanner.bytes[start..<scanner.offset], as: UTF8.self))
      }
    }
  }

  private static func members(_ scanner: inout JSONScanner, depth: Int) throws(JSONFault) -> [Member] {
    var members: [Member] = []
    // To find what comes twice; an array of 32 thousand keys must not be searched 32 thousand times.
    var keys: Set<String> = []
    var more = try scanner.enterObject()
    while more {
      let start = scanner.offset
      let key = try scanner.key().string(in: scanner.bytes)
      guard keys.insert(key).inserted else { throw JSONFault(.repeatedKey, at: start) }
      members.append(Member(key: key, value: try JSONValue(next: &scanner, depth: depth)))
      more = try scanner.nextMember()
    }
    return members
  }

  private static func elements(_ scanner: inout JSONScanner, depth: Int) throws(JSONFault) -> [JSONValue] {
    var elements: [JSONValue] = []
    var more = try scanner.enterArray()
    while more {
      elements.append(try JSONValue(next: &scanner, depth: depth))
      more = try scanner.nextElement()
    }
    return elements
  }
}
