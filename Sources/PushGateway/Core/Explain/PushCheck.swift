/// The checks of a push in their order (design §5); the first failure is the answer. The raw value is the name in
/// explanations.
package enum PushCheck: String, CaseIterable, Comparable, Sendable {
  case method, path
  case providerCredential = "provider-credential"
  case providerTokenRate = "provider-token-rate"
  case duplicateHeaders = "duplicate-headers"
  case apnsID = "apns-id"
  case expiration, priority
  case collapseID = "collapse-id"
  case pushTypeValue = "push-type-value"
  case topic
  case topicForCredential = "topic-for-credential"
  case pushTypeForTopic = "push-type-for-topic"
  case payload, token
  /// No check of the request: whether anything can be accepted at all just now.
  case store
  case tokenKnown = "token-known"
  case unregistered
  case tokenForTopic = "token-for-topic"
  case flood

  private var place: Int { Self.allCases.firstIndex(of: self) ?? 0 }

  package static func < (left: Self, right: Self) -> Bool { left.place < right.place }

  /// The check that gives `reason`; nil for reasons that refuse no push.
  ///
  /// Two reasons stand for two checks each: a type or a token that reads well has passed the first of them.
  package init?(
    refusing reason: RejectionReason, readsType: @autoclosure () -> Bool, readsToken: @autoclosure () -> Bool
  ) {
    switch reason {
    case .methodNotAllowed: self = .method
    case .badPath: self = .path
    case .badCertificate, .badCertificateEnvironment, .badEnvironmentKeyIDInToken, .expiredProviderToken, .forbidden,
      .invalidProviderToken, .missingProviderToken, .unrelatedKeyIDInToken:
      self = .providerCredential
    case .tooManyProviderTokenUpdates: self = .providerTokenRate
    case .duplicateHeaders: self = .duplicateHeaders
    case .badMessageID: self = .apnsID
    case .badExpirationDate: self = .expiration
    case .badPriority: self = .priority
    case .badCollapseID: self = .collapseID
    case .invalidPushType: self = readsType() ? .pushTypeForTopic : .pushTypeValue
    case .badTopic, .missingTopic: self = .topic
    case .topicDisallowed: self = .topicForCredential
    case .payloadEmpty, .payloadTooLarge: self = .payload
    case .missingDeviceToken: self = .token
    case .badDeviceToken: self = readsToken() ? .tokenKnown : .token
    case .serviceUnavailable: self = .store
    case .unregistered, .expiredToken: self = .unregistered
    case .deviceTokenNotForTopic: self = .tokenForTopic
    case .tooManyRequests: self = .flood
    case .idleTimeout, .internalServerError, .shutdown: return nil
    }
  }
}
