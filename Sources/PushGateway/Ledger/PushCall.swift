import GatewayCore
import TokenStore

/// A push whose request was found right.
struct PushCall: Sendable {
  var place: RequestPlace
  var push: IncomingPush
  var token: DeviceToken
  var environment: GatewayEnvironment
  var bundleID: BundleID
}
