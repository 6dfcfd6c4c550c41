import FoundationEssentials
import GatewayIO
import HTTPMessage

/// What the gateway answered to one push.
struct PushResult: Codable, Equatable {
  /// What its sender calls it.
  var name: String?
  var token: String
  var status: Int
  var reason: String?
  var detail: String?
  var apnsID: String?
  var apnsUniqueID: String?
  var gatewayRefresh: String?
  var retryAfter: String?

  private enum CodingKeys: String, CodingKey {
    case name, token, status, reason, detail
    case apnsID = "apns-id"
    case apnsUniqueID = "apns-unique-id"
    case gatewayRefresh = "gateway-refresh"
    case retryAfter = "retry-after"
  }

  init(token: String, response: ClientResponse) {
    struct Refusal: Decodable {
      let reason: String?
      let detail: String?
    }
    let refusal = try? JSONDecoder().decode(Refusal.self, from: Data(response.body))
    self.token = token
    status = response.status
    reason = refusal?.reason
    detail = refusal?.detail
    apnsID = response.headers.text(of: .apnsID)
    apnsUniqueID = response.headers.text(of: .apnsUniqueID)
    gatewayRefresh = response.headers.text(of: .gatewayRefresh)
    retryAfter = response.headers.text(of: .retryAfter)
  }
}
