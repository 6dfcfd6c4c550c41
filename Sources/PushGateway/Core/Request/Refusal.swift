package import TokenStore

/// One refused push: the reason that APNs documents, and what this gateway adds to it.
package struct Refusal: Error, Equatable, Sendable {
  package let reason: RejectionReason
  /// One sentence that says what to change. Never holds a token, a key or a JWT. A literal costs no allocation.
  package let detail: String?
  /// Since when the device token is dead. Every 410 has one and nothing else has: PyAPNs2 and Go clients fail without.
  package let timestamp: UnixTime?
  /// Whole seconds, at least 1; becomes the header `retry-after`.
  package let retryAfter: Int?

  package init(_ reason: RejectionReason, _ detail: String? = nil, retryAfter: Int? = nil) {
    precondition(reason.status != 410, "A 410 is made with its timestamp.")
    self.reason = reason
    self.detail = detail
    self.timestamp = nil
    self.retryAfter = retryAfter
  }

  private init(gone reason: RejectionReason, at timestamp: UnixTime, _ detail: String?) {
    self.reason = reason
    self.detail = detail
    self.timestamp = timestamp
    self.retryAfter = nil
  }

  /// 410: the token stopped being valid for its topic at `timestamp`.
  package static func unregistered(at timestamp: UnixTime, _ detail: String? = nil) -> Refusal {
    Refusal(gone: .unregistered, at: timestamp, detail)
  }

  /// 410: the token has expired. PyAPNs2 does not know this reason, so ``unregistered(at:_:)`` goes first where both
  /// would be true.
  package static func expiredToken(at timestamp: UnixTime, _ detail: String? = nil) -> Refusal {
    Refusal(gone: .expiredToken, at: timestamp, detail)
  }
}
