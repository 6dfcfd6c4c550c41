package import HTTPMessage

/// What a client got.
package struct ClientResponse: Sendable {
  /// 100 to 599; 0 when the server sent none that is a number.
  package let status: Int
  /// Fields outside `FieldName` are there too.
  package let headers: HeaderBlock
  /// Empty for an exchange that received its parts as they came.
  package var body: [UInt8] = []

  init(headers: HeaderBlock) {
    self.headers = headers
    status = headers.text(of: .status).flatMap { Int($0) } ?? 0
  }
}

/// One part of a response that is read while it arrives.
package enum ClientResponsePart: Sendable {
  case head(ClientResponse)
  case data([UInt8])
}
