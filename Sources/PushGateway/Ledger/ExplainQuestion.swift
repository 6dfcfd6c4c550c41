import GatewayCore
import GatewayReports
import TokenStore

/// What `explain` was asked about.
enum ExplainQuestion: Sendable {
  /// An `apns-id` or an `apns-unique-id`: they look alike.
  case uuid(CanonicalUUID)
  case token(DeviceToken)

  init(_ text: String) throws(AdminFailure) {
    if let uuid = CanonicalUUID(text) {
      self = .uuid(uuid)
    } else if let token = DeviceToken(hex: text) {
      self = .token(token)
    } else {
      throw .invalid("give an apns-id or apns-unique-id (8-4-4-4-12 hex digits), or a device token (hex digits)")
    }
  }

  func isAbout(_ push: RefusedPush) -> Bool {
    switch self {
    case .uuid(let uuid): push.id.uuid == uuid
    case .token(let token): push.token == token
    }
  }
}
