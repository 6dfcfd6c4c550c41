package import TokenStore

/// What the path of a push says about its device token.
///
/// The path is read second of all and its token nearly last (design §5), so what is wrong with the token waits here.
package enum PushPath: Hashable, Sendable {
  case token(DeviceToken)
  case missingToken
  case malformedToken

  package static let prefix: StaticString = "/3/device/"

  /// - Returns: nil unless `path` has the shape `/3/device/<one segment>`; the segment may be empty.
  package init?(_ path: UnsafeRawBufferPointer) {
    guard path.hasPrefix(Self.prefix) else { return nil }
    let segment = UnsafeRawBufferPointer(rebasing: path[Self.prefix.utf8CodeUnitCount...])
    if segment.isEmpty {
      self = .missingToken
    } else if let token = DeviceToken(hex: segment) {
      self = .token(token)
    } else {
      for byte in segment where byte == 0x2F || byte == 0x3F || byte == 0x23 { return nil }
      self = .malformedToken
    }
  }

  /// The token, or the refusal that is due at its place in the order of checks.
  package func deviceToken() throws(Refusal) -> DeviceToken {
    switch self {
    case .token(let token): return token
    case .missingToken:
      throw Refusal(.missingDeviceToken, "The path ends before the device token; post to /3/device/<hex>.")
    case .malformedToken:
      throw Refusal(.badDeviceToken, "The device token must be 1 to 100 bytes, written as 2 to 200 hex digits.")
    }
  }
}
