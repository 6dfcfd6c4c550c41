import GatewayCore
import TokenStore

/// A device's `GET …/explain` whose search is under way.
struct PendingExplanation {
  var connection: ConnectionID
  var stream: Int32
  var device: DeviceID
  var search: ExplanationSearch
}
