import BudgetThrottle

/// What one provider connection is bound to: the credential it last used, the team of its first, and when its token
/// last changed.
package struct ProviderSession {
  /// Apple: not more often than once in 20 minutes, counted for each connection. dotAPNS renews at exactly 20 minutes
  /// by its own clock, so half a minute is forgiven.
  package static let shortestTokenLife: Int64 = (20 * 60 - 30) * 1000

  package private(set) var credential = ConnectionCredential()
  private var team: String?
  private var tokenChanged: LedgerTime?
  /// A text that was refused for what it is, so that a client that insists does not cost a signature check each time.
  private var refused: (text: [UInt8], generation: UInt32, refusal: Refusal)?

  package init() {}

  /// Whether the connection ever showed a valid provider token. SETTINGS allows one stream until then
  /// (Apple: Sending notification requests to APNs).
  package var isAuthenticated: Bool { credential.isPresent }

  func refusal(of authorization: UnsafeRawBufferPointer, generation: UInt32) -> Refusal? {
    guard let refused, refused.generation == generation else { return nil }
    return refused.text.withUnsafeBytes { $0.hasSameBytes(as: authorization) } ? refused.refusal : nil
  }

  mutating func remember(_ refusal: Refusal, of authorization: UnsafeRawBufferPointer, generation: UInt32) {
    guard authorization.count <= ProviderToken.maximumBytes + 16 else { return }
    refused = (Array(authorization), generation, refusal)
  }

  /// Takes a genuine token of the right age that is not the one last used: one team for each connection, and no change
  /// within 20 minutes, except to a token that a reload of the keys made necessary.
  mutating func accept(
    _ new: ProviderCredential, team: String, for authorization: UnsafeRawBufferPointer, now: LedgerTime
  ) throws(Refusal) {
    if let bound = self.team, bound != team {
      throw Refusal(.invalidProviderToken, "This connection belongs to another team; open a new one for this team.")
    }
    if !credential.repeats(authorization) {
      if let tokenChanged, credential.generation == new.generation {
        let wait = Self.shortestTokenLife - now.milliseconds(since: tokenChanged)
        if wait > 0 {
          throw Refusal(
            .tooManyProviderTokenUpdates, "Use one provider token for at least 20 minutes on a connection.",
            retryAfter: Int((wait + 999) / 1000))
        }
      }
      tokenChanged = now
    }
    self.team = team
    credential.accept(new, for: authorization)
  }
}
