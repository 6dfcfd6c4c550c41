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
  static func budgetReset(_ bytes: [UInt8]) throws(AdminFailure) -> BudgetResetRequest {
    guard !bytes.isEmpty else { return BudgetResetRequest() }
    try checkKeys(of: bytes, known: ["who", "why"])
    let reset = try decode(BudgetResetRequest.self, from: bytes)
    try checkText("who", reset.who)
    try checkText("why", reset.why)
    return reset
  }

  static func checkText(_ name: String, _ text: String?) throws(AdminFailure) {
    guard let text else { return }
    guard !text.isEmpty, text.utf8.count <= maximumTextBytes, text.unicodeScalars.allSatisfy(isShown) else {
      throw .invalid("'\(name)' must have 1 to \(maximumTextBytes) bytes and no control or invisible characters")
    }
  }

  /// Neither a control character nor one that only changes how others read: a line of the audit must say what it seems to.
  private static func isShown(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .surrogate, .unassigned, .privateUse, .lineSeparator, .paragraphSeparator: false
    default: true
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
      context.codingPath.last.map { "'\($0.stringValue)' must be \(name(of: type))" }
        ?? "the body must be a JSON object"
    case .dataCorrupted(let context):
      context.codingPath.last.map { "'\($0.stringValue)' \(context.debugDescription)" }
        ?? "the body must be a JSON object"
    default: "the body must be a JSON object"
    }
  }

  private static func name(of type: any Any.Type) -> String {
    switch type {
    case is Int.Type, is Double.Type: "a number"
    case is Bool.Type: "true or false"
    case is String.Type: "text"
    default: "something else"
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
