import GatewayCore
import TokenStore

/// A device's `GET …/explain` whose search is under way.
struct PendingExplanation {
  var place: RequestPlace
  var device: DeviceID
  var search: ExplanationSearch
}
