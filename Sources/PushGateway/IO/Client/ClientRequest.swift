/// What a client sends. Clients are programs and tests, not the push path, so this is made for ease.
package struct ClientRequest: Sendable {
  package enum Method: Sendable {
    case get, post, put, delete

    var text: StaticString {
      switch self {
      case .get: "GET"
      case .post: "POST"
      case .put: "PUT"
      case .delete: "DELETE"
      }
    }
  }

  package var method: Method
  package var path: String
  /// Names in lower case.
  package var fields: [(name: String, value: String)]
  package var body: [UInt8]

  package init(_ method: Method, _ path: String, fields: [(name: String, value: String)] = [], body: [UInt8] = []) {
    self.method = method
    self.path = path
    self.fields = fields
    self.body = body
  }
}
