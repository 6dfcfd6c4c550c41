package import HTTPMessage

/// What a client got.
package struct ClientResponse: Sendable {
  /// The fields of a response that are in `FieldName`; they outlive its stream, whose header block is used again.
  package struct Fields: Sendable {
    private let texts: [FieldName: String]

    init(_ block: borrowing HeaderBlock) {
      var texts: [FieldName: String] = [:]
      for name in FieldName.allCases {
        if let text = block.text(of: name) { texts[name] = text }
      }
      self.texts = texts
    }

    package func contains(_ name: FieldName) -> Bool { texts[name] != nil }
    package func text(of name: FieldName) -> String? { texts[name] }
  }

  /// 100 to 599; 0 when the server sent none that is a number.
  package let status: Int
  package let headers: Fields
  /// Empty for an exchange that received its parts as they came.
  package var body: [UInt8] = []

  init(headers block: borrowing HeaderBlock) {
    headers = Fields(block)
    status = headers.text(of: .status).flatMap { Int($0) } ?? 0
  }
}

/// One part of a response that is read while it arrives.
package enum ClientResponsePart: Sendable {
  case head(ClientResponse)
  case data([UInt8])
}
