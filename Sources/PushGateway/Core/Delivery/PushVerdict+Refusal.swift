package import TokenStore

extension PushVerdict.Denial {
  /// What the provider is told of a push that the ledger did not take.
  package func refusal(in environment: GatewayEnvironment) -> Refusal {
    switch self {
    case .unknownToken:
      return Refusal(
        .badDeviceToken,
        "No device has this token in the \(environment.rawValue) environment; check whether it is of the other one.")
    case .unregistered(let date):
      return .unregistered(at: date, "The app was removed or has a new token; delete this one.")
    case .tokenForOtherTopic:
      return Refusal(
        .deviceTokenNotForTopic, "The token belongs to another app than apns-topic names; send the topic of its app.")
    case .flood(let wait):
      return Refusal(.tooManyRequests, "Too many pushes to this token; wait before the next.", retryAfter: wait)
    case .overBudget(let exhaustion):
      return Refusal(
        .tooManyRequests, "Every widget of this token has spent its refresh budget; wait until one returns.",
        retryAfter: exhaustion.retryAfter)
    }
  }
}
