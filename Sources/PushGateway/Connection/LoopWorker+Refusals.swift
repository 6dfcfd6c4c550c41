import GatewayCore
import GatewayIO
import HTTPMessage
import TokenStore

/// Remembers refused pushes for `explain`.
extension LoopWorker {
  /// Longer topics are cut: none that is right is longer.
  private static let maximumTopicBytes = 200

  /// - Parameters:
  ///   - id: as the answer says it.
  ///   - isAuthenticated: the connection has shown a valid credential before.
  ///   - isOverBudget: every check was passed.
  func note(
    _ refusal: Refusal, id: PushID, of headers: borrowing HeaderBlock, in environment: GatewayEnvironment,
    isAuthenticated: Bool, isOverBudget: Bool
  ) {
    guard explain.keeps(environment) else { return }
    let token: DeviceToken? = (headers.withValue(of: .path) { PushPath($0) } ?? nil).flatMap { path in
      if case .token(let token) = path { token } else { nil }
    }
    let check = PushCheck(
      refusing: refusal.reason, readsType: headers.withValue(of: .apnsPushType) { PushType($0) != nil } ?? true,
      readsToken: token != nil)
    let topic = headers.withValue(of: .apnsTopic) { bytes in
      String(decoding: bytes.prefix(Self.maximumTopicBytes), as: UTF8.self)
    }
    // Method and path are judged before any credential; there the connection's past speaks for it.
    let hasCredential = check.map { $0 < .providerCredential ? isAuthenticated : $0 > .providerCredential } ?? true
    refusedPushes.record(
      RefusedPush(
        at: wall, environment: environment, id: id, token: token, topic: topic, reason: refusal.reason,
        detail: refusal.detail, check: isOverBudget ? nil : check),
      hasCredential: hasCredential)
  }
}
