package import TokenStore

/// The whole order of checks as far as a request alone decides them (design §5): the head when it has arrived, then
/// body and token when the request has ended. What needs the ledger (token known, 410, topic, flood) comes after.
package struct PushValidator: Sendable {
  package let head: PushHeadValidator
  package let payload: PayloadValidator

  package init(checks: GatewayConfiguration.Checks) {
    head = PushHeadValidator(checks: checks)
    payload = PayloadValidator(strictness: checks.payload)
  }

  /// To be called at END_STREAM, with the head as judged at END_HEADERS.
  package func complete(
    _ head: PushHead, payload body: UnsafeRawBufferPointer
  ) throws(Refusal) -> (token: DeviceToken, payload: PayloadAcceptance) {
    let acceptance: PayloadAcceptance
    do throws(PayloadFault) {
      acceptance = try payload.validate(body)
    } catch {
      throw Refusal(error.reason, error.detail)
    }
    return (try head.path.deviceToken(), acceptance)
  }
}
