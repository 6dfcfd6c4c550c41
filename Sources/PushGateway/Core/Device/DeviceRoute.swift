package import TokenStore

/// What a request of the device listener asks for, by method and path.
package enum DeviceRoute: Equatable, Sendable {
  case enrol
  case leave(DeviceID)
  case rotateKey(DeviceID)
  case register(DeviceID, BundleID)
  case removeApp(DeviceID, BundleID)
  case updates(DeviceID)
  case receipts(DeviceID)
  case state(DeviceID)
  /// - last: how many of the newest decisions, within ``DeviceLimits/explained``.
  case explain(DeviceID, last: Int)

  /// Whose key a request must bear.
  package enum Credential: Equatable, Sendable {
    case enrolmentKey
    case deviceKey(DeviceID)
  }

  package var credential: Credential {
    switch self {
    case .enrol: .enrolmentKey
    case .leave(let device), .rotateKey(let device), .register(let device, _), .removeApp(let device, _),
      .updates(let device), .receipts(let device), .state(let device), .explain(let device, _):
      .deviceKey(device)
    }
  }

  /// - Parameters:
  ///   - method: `:method`.
  ///   - target: `:path`, its query included. Nothing in our paths needs percent-encoding, so none is decoded.
  package static func parse(
    method: UnsafeRawBufferPointer, target: UnsafeRawBufferPointer
  ) throws(DeviceRefusal) -> DeviceRoute {
    let mark = target.firstIndex(of: UInt8(ascii: "?"))
    let query = mark.map { String(decoding: target[($0 + 1)...], as: UTF8.self) }
    let parts = target[..<(mark ?? target.endIndex)]
      .split(separator: UInt8(ascii: "/"), maxSplits: 6, omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
    guard parts.count >= 3, parts[0].isEmpty, parts[1] == "v1", parts[2] == "devices" else {
      throw DeviceRefusal(.notFound)
    }
    let method = String(decoding: method, as: UTF8.self)
    let route = try resource(parts[3...]).route(method: method, query: query)
    if case .explain = route { return route }
    guard let query, !query.isEmpty else { return route }
    throw DeviceRefusal(.badQuery, "this path takes no query, and has \(InputQuote(query))")
  }

  /// What stands below `/v1/devices`, before the method is looked at: a path that does not exist is 404 whatever the
  /// method.
  private static func resource(_ parts: ArraySlice<String>) throws(DeviceRefusal) -> Resource {
    guard let name = parts.first else { return .devices }
    guard let uuid = CanonicalUUID(name) else { throw DeviceRefusal(.notFound, "the path names no device") }
    let device = DeviceID(uuid)
    let rest = Array(parts.dropFirst())
    switch (rest.first, rest.count) {
    case (nil, _): return .device(device)
    case ("key", 1): return .key(device)
    case ("updates", 1): return .updates(device)
    case ("receipts", 1): return .receipts(device)
    case ("state", 1): return .state(device)
    case ("explain", 1): return .explain(device)
    case ("apps", 2):
      guard let app = BundleID(rest[1]) else {
        throw DeviceRefusal(
          .badBundleID, "the path names the app \(InputQuote(rest[1])); \(DeviceError.badBundleID.standardDetail)")
      }
      return .app(device, app)
    default: throw DeviceRefusal(.notFound)
    }
  }
}

/// A path of the device listener, with its methods.
private enum Resource {
  case devices
  case device(DeviceID)
  case key(DeviceID)
  case app(DeviceID, BundleID)
  case updates(DeviceID)
  case receipts(DeviceID)
  case state(DeviceID)
  case explain(DeviceID)

  func route(method: String, query: String?) throws(DeviceRefusal) -> DeviceRoute {
    switch (self, method) {
    case (.devices, "POST"): return .enrol
    case (.device(let device), "DELETE"): return .leave(device)
    case (.key(let device), "POST"): return .rotateKey(device)
    case (.app(let device, let app), "PUT"): return .register(device, app)
    case (.app(let device, let app), "DELETE"): return .removeApp(device, app)
    case (.updates(let device), "GET"): return .updates(device)
    case (.receipts(let device), "POST"): return .receipts(device)
    case (.state(let device), "PUT"): return .state(device)
    case (.explain(let device), "GET"): return .explain(device, last: try last(in: query))
    default:
      throw DeviceRefusal(
        .methodNotAllowed, "\(InputQuote(method)) is not allowed here; allowed: \(methods)", allow: methods)
    }
  }

  private var methods: String {
    switch self {
    case .devices, .key, .receipts: "POST"
    case .device: "DELETE"
    case .app: "PUT, DELETE"
    case .updates, .explain: "GET"
    case .state: "PUT"
    }
  }

  private func last(in query: String?) throws(DeviceRefusal) -> Int {
    guard let query, !query.isEmpty else { return DeviceLimits.explainedByDefault }
    let digits = query.utf8.dropFirst(5)
    guard query.hasPrefix("last="), (1...3).contains(digits.count),
      digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
      let last = Int(query.dropFirst(5)), DeviceLimits.explained.contains(last)
    else {
      let range = DeviceLimits.explained
      throw DeviceRefusal(
        .badQuery, "the query should be last=<\(range.lowerBound) to \(range.upperBound)>, and is \(InputQuote(query))")
    }
    return last
  }
}
