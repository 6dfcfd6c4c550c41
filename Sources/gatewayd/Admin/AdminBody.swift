import FoundationEssentials
import GatewayReports

/// Reads JSON bodies of admin requests, and says by name what is wrong with them.
enum AdminBody {
  /// `who` and `why` stand in log lines and reports.
  static let maximumTextBytes = 200

  static func developerModeRequest(_ bytes: [UInt8]) throws(AdminFailure) -> DeveloperModeRequest {
    try checkKeys(of: bytes, known: ["app", "device", "seconds", "who", "why"])
    let request = try decode(DeveloperModeRequest.self, from: bytes)
    guard (request.app == nil) != (request.device == nil) else {
      throw .invalid("give exactly one of 'app' (a bundle ID) and 'device' (a device's id)")
    }
    guard request.seconds > 0 else { throw .invalid("'seconds' must be at least 1") }
    try checkText("app", request.app)
    try checkText("device", request.device)
    try checkText("who", request.who)
    try checkText("why", request.why)
    return request
  }

  static func sweepRequest(_ bytes: [UInt8]) throws(AdminFailure) -> SweepRequest {
    try checkKeys(of: bytes, known: ["olderThanSeconds", "app", "dryRun", "who"])
    let request = try decode(SweepRequest.self, from: bytes)
    try checkText("app", request.app)
    try checkText("who", request.who)
    return request
  }

  /// The body of a reset may be absent.
  static func who(_ bytes: [UInt8]) throws(AdminFailure) -> String? {
    guard !bytes.isEmpty else { return nil }
    struct Reset: Decodable { let who: String? }
    try checkKeys(of: bytes, known: ["who"])
    let who = try decode(Reset.self, from: bytes).who
    try checkText("who", who)
    return who
  }

  static func checkText(_ name: String, _ text: String?) throws(AdminFailure) {
    guard let text else { return }
    let isPrintable = text.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) }
    guard !text.isEmpty, text.utf8.count <= maximumTextBytes, isPrintable else {
      throw .invalid("'\(name)' must have 1 to \(maximumTextBytes) bytes and no control characters")
    }
  }

  private static func decode<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) throws(AdminFailure) -> Value {
    do {
      return try JSONDecoder().decode(type, from: Data(bytes))
    } catch let error as DecodingError {
      throw AdminFailure(status: 400, code: "invalid-json", detail: sentence(for: error))
    } catch {
      throw AdminFailure(status: 400, code: "invalid-json", detail: "the body must be a JSON object")
    }
  }

  private static func sentence(for error: DecodingError) -> String {
    switch error {
    case .keyNotFound(let key, _): "'\(key.stringValue)' is missing"
    case .typeMismatch(let type, let context), .valueNotFound(let type, let context):
      context.codingPath.last.map { "'\($0.stringValue)' must be of type \(type)" } ?? "the body must be a JSON object"
    default: "the body must be a JSON object"
    }
  }

  /// A misspelled key must not silently mean its absence.
  private static func checkKeys(of bytes: [UInt8], known: Set<String>) throws(AdminFailure) {
    struct Keys: Decodable {
      struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
      }
      let names: [String]
      init(from decoder: any Decoder) throws {
        names = try decoder.container(keyedBy: Key.self).allKeys.map(\.stringValue)
      }
    }
    let unknown = try decode(Keys.self, from: bytes).names.sorted().first { !known.contains($0) }
    guard let unknown else { return }
    throw .invalid("unknown key '\(unknown.prefix(64))'; known are \(known.sorted().joined(separator: ", "))")
  }
}
