import FoundationEssentials
import GatewayReports

/// What goes back to an admin client.
struct AdminAnswer {
  enum Body {
    case bytes([UInt8])
    /// A long body of JSON lines, made while it is sent.
    case lines(AdminStream)
    /// Whoever queues the answer closes its descriptor.
    case file(BackupFile)
  }

  var status: Int
  var contentType = "application/json"
  /// Beside those that every answer has.
  var fields: [String: String] = [:]
  var body: Body

  static func json(_ value: some Encodable, status: Int = 200) -> Self {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    do {
      return Self(status: status, body: .bytes(Array(try encoder.encode(value)) + [UInt8(ascii: "\n")]))
    } catch {
      // Only a number that JSON does not have could bring us here.
      return .failure(status: 500, code: "internal-error", detail: "the report could not be written as JSON")
    }
  }

  static func text(_ text: String, contentType: String) -> Self {
    Self(status: 200, contentType: contentType, body: .bytes(Array(text.utf8)))
  }

  static func failure(status: Int, code: String, detail: String, fields: [String: String] = [:]) -> Self {
    struct Failure: Encodable {
      let error: String
      let detail: String
    }
    var answer = Self.json(Failure(error: code, detail: detail), status: status)
    answer.fields = fields
    return answer
  }

  static func failure(_ failure: AdminFailure) -> Self {
    .failure(status: failure.status, code: failure.code, detail: failure.detail)
  }
}
