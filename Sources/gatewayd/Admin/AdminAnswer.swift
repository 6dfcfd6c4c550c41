import FoundationEssentials
import GatewayReports

/// What goes back to an admin client.
struct AdminAnswer {
  var status: Int
  var contentType = "application/json"
  /// Beside those that every answer has.
  var fields: [String: String] = [:]
  var body: [UInt8]
  /// In place of `body`.
  var stream: AdminStream?
  /// In place of `body`: whoever queues the answer closes its descriptor.
  var file: BackupFile?

  init(
    status: Int, contentType: String = "application/json", fields: [String: String] = [:], body: [UInt8]
  ) {
    self.status = status
    self.contentType = contentType
    self.fields = fields
    self.body = body
  }

  /// A long body of JSON lines.
  init(streaming export: any RegistrationExport) {
    self.init(status: 200, contentType: "application/jsonl", body: [])
    stream = AdminStream(export)
  }

  /// A file as the body.
  init(sending file: BackupFile, contentType: String) {
    self.init(status: 200, contentType: contentType, body: [])
    self.file = file
  }

  static func json(_ value: some Encodable, status: Int = 200) -> Self {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    do {
      return Self(status: status, body: Array(try encoder.encode(value)) + [UInt8(ascii: "\n")])
    } catch {
      // Only a number that JSON does not have could bring us here.
      return .failure(status: 500, code: "internal-error", detail: "the report could not be written as JSON")
    }
  }

  static func text(_ text: String, contentType: String) -> Self {
    Self(status: 200, contentType: contentType, body: Array(text.utf8))
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
