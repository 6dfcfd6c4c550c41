package import TokenStore

/// A push that was refused, as far as it could be read.
package struct RefusedPush: Sendable {
  package var at: UnixTime
  package var environment: GatewayEnvironment
  /// As the answer said it.
  package var id: PushID
  /// nil when the path holds none that can be read.
  package var token: DeviceToken?
  /// As it was sent, wrong ones too; cut to what a header of a topic may measure.
  package var topic: String?
  package var reason: RejectionReason
  package var detail: String?
  /// The check that failed; nil when all passed and every widget lacked budget.
  package var check: PushCheck?

  package init(
    at: UnixTime, environment: GatewayEnvironment, id: PushID, token: DeviceToken?, topic: String?,
    reason: RejectionReason, detail: String?, check: PushCheck?
  ) {
    self.at = at
    self.environment = environment
    self.id = id
    self.token = token
    self.topic = topic
    self.reason = reason
    self.detail = detail
    self.check = check
  }
}
