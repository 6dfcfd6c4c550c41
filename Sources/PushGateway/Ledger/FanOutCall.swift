import GatewayCore
import TokenStore

/// A request about a fan-out whose head, and body where it has one, were found right.
struct FanOutCall: Sendable {
  enum Wish: Sendable {
    case begin(FanOutOrder)
    case report(CanonicalUUID)
    case watch(CanonicalUUID)
    case cancel(CanonicalUUID)

    var byteCount: Int { if case .begin(let order) = self { order.push.payload?.count ?? 0 } else { 0 } }
  }

  var place: RequestPlace
  var wish: Wish
  /// Whose credential it bears.
  var team: String?
  var environment: GatewayEnvironment
}
