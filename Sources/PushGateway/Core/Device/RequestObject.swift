import TokenStore

/// One JSON object of a request, which is read key by key; each way in which it can be wrong is one refusal that says
/// where.
///
/// A key that is not known is refused: a typo in `configuration` must not make a widget without one.
struct RequestObject {
  /// Where the object stands, for a sentence: empty for the body itself, else as `widgets[3]`.
  private let place: String
  private let members: [JSONValue.Member]

  init(body: [UInt8], keys: [String]) throws(DeviceRefusal) {
    guard body.count <= DeviceLimits.bodyBytes else { throw DeviceRefusal(.bodyTooLarge) }
    guard !body.isEmpty else { throw DeviceRefusal(.malformedJSON, "the body is empty, and should be a JSON object") }
    try self.init(try Self.read(body), at: "", keys: keys)
  }

  static func read(_ text: [UInt8]) throws(DeviceRefusal) -> JSONValue {
    do throws(JSONFault) {
      return try text.withUnsafeBytes { bytes in
        Result { () throws(JSONFault) in try JSONValue(reading: bytes) }
      }.get()
    } catch {
      throw DeviceRefusal(.malformedJSON, error.description)
    }
  }

  init(_ value: JSONValue, at place: String, keys: [String]) throws(DeviceRefusal) {
    guard case .object(let members) = value else {
      throw DeviceRefusal(
        .wrongType, "\(place.isEmpty ? "the body" : place) should be an object, and is \(value.kind)")
    }
    self.place = place
    self.members = members
    for member in members where !keys.contains(member.key) {
      let whole = place.isEmpty ? "" : " in \(place)"
      throw DeviceRefusal(
        .unknownKey, "\(InputQuote(member.key))\(whole) is not known; known are \(keys.joined(separator: ", "))")
    }
  }

  func path(_ key: String) -> String { place.isEmpty ? key : "\(place).\(key)" }

  /// nil when the key is absent; `null` is a value.
  func value(_ key: String) -> JSONValue? { members.first { $0.key == key }?.value }

  func text(_ key: String) throws(DeviceRefusal) -> String {
    guard let text = try optionalText(key) else {
      guard value(key) == nil else { throw wrongType(key, "text") }
      throw DeviceRefusal(.missingKey, "\(path(key)) is missing")
    }
    return text
  }

  /// nil when the key is absent or `null`.
  func optionalText(_ key: String) throws(DeviceRefusal) -> String? {
    switch value(key) {
    case nil, .null: return nil
    case .string(let text): return text
    default: throw wrongType(key, "text")
    }
  }

  /// nil when the key is absent.
  func optionalBool(_ key: String) throws(DeviceRefusal) -> Bool? {
    switch value(key) {
    case nil: return nil
    case .bool(let value): return value
    default: throw wrongType(key, "true or false")
    }
  }

  /// nil when the key is absent or `null`.
  func optionalInteger(_ key: String) throws(DeviceRefusal) -> Int64? {
    switch value(key) {
    case nil, .null: return nil
    case .number(let text):
      guard let number = Int64(text) else { throw wrongType(key, "a whole number") }
      return number
    default: throw wrongType(key, "a whole number")
    }
  }

  func object(_ key: String, keys: [String]) throws(DeviceRefusal) -> RequestObject {
    guard let value = value(key) else { throw DeviceRefusal(.missingKey, "\(path(key)) is missing") }
    return try RequestObject(value, at: path(key), keys: keys)
  }

  func texts(_ key: String) throws(DeviceRefusal) -> [String] {
    var texts: [String] = []
    for element in try array(key) {
      guard case .string(let text) = element else { throw wrongType(key, "an array of texts") }
      texts.append(text)
    }
    return texts
  }

  func array(_ key: String) throws(DeviceRefusal) -> [JSONValue] {
    switch value(key) {
    case nil: throw DeviceRefusal(.missingKey, "\(path(key)) is missing")
    case .array(let elements): return elements
    default: throw wrongType(key, "an array")
    }
  }

  func bundleID(_ text: String, at key: String) throws(DeviceRefusal) -> BundleID {
    guard let bundleID = BundleID(text) else {
      throw DeviceRefusal(
        .badBundleID, "\(path(key)) is \(InputQuote(text)); \(DeviceError.badBundleID.standardDetail)")
    }
    return bundleID
  }

  private func wrongType(_ key: String, _ expected: String) -> DeviceRefusal {
    DeviceRefusal(.wrongType, "\(path(key)) should be \(expected), and is \(value(key)?.kind ?? "absent")")
  }
}
