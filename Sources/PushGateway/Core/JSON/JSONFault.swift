/// Where and why bytes stop being JSON (RFC 8259).
package struct JSONFault: Error, Equatable, Sendable {
  package enum Kind: UInt8, CaseIterable, Sendable {
    case unexpectedEnd, byteOrderMark, expectedValue, expectedKey, expectedColon, expectedCommaOrEnd, trailingComma
    case badEscape, loneSurrogate, controlCharacter, notUTF8, badNumber, badLiteral, tooDeep, trailingContent
    case repeatedKey
  }

  package let kind: Kind
  /// Bytes before the fault, counted from 0; the length of the text when it ends too early.
  package let offset: Int

  package init(_ kind: Kind, at offset: Int) {
    self.kind = kind
    self.offset = offset
  }
}

extension JSONFault: CustomStringConvertible {
  /// A clause such as `trailing comma at offset 31`.
  package var description: String { "\(kind.text) at offset \(offset)" }
}

extension JSONFault.Kind {
  fileprivate var text: StaticString {
    switch self {
    case .unexpectedEnd: "the text ends too early"
    case .byteOrderMark: "byte order mark, which JSON does not allow,"
    case .expectedValue: "a value is expected"
    case .expectedKey: "a key in double quotes is expected"
    case .expectedColon: "a colon is expected"
    case .expectedCommaOrEnd: "a comma or the end of the object or array is expected"
    case .trailingComma: "trailing comma"
    case .badEscape: "unknown escape"
    case .loneSurrogate: "half of a surrogate pair"
    case .controlCharacter: "unescaped control character"
    case .notUTF8: "bytes that are not UTF-8"
    case .badNumber: "malformed number"
    case .badLiteral: "unknown word (true, false and null are the only ones)"
    case .tooDeep: "more than 64 levels of nesting"
    case .trailingContent: "something follows the value"
    case .repeatedKey: "a key that the object has already"
    }
  }
}
