/// A parsed JSON text, for bodies that are small and not on the push path.
package enum JSONValue: Equatable, Sendable {
  case null
  case bool(Bool)
  /// As it was written; none of our requests holds one.
  case number(String)
  case string(String)
  case array([JSONValue])
  /// In the order of the text; no key twice.
  case object([Member])

  package struct Member: Equatable, Sendable {
    package var key: String
    package var value: JSONValue

    package init(key: String, value: JSONValue) {
      self.key = key
      self.value = value
    }
  }

  /// The kind of value in a sentence's words.
  package var kind: StaticString {
    switch self {
    case .null: "null"
    case .bool: "true or false"
    case .number: "a number"
    case .string: "text"
    case .array: "an array"
    case .object: "an object"
    }
  }
}
