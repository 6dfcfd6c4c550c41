import BudgetThrottle

/// What one provider connection is bound to: the credential it last used, the key of its first, and when its token last
/// changed. A class, so that no push needs to borrow it from its connection.
package final class ProviderSession {
  /// A signature check is forty microseconds of everybody's loop, so a client that shows a new JWT with each request must
  /// run out of checks before others notice. A connection that keeps the rules needs one check in 20 minutes, and none if
  /// another connection has shown its token before; there is room for some that went wrong.
  package static let signatureAllowance = SpacedAllowance(burst: 5, spacing: 1000)

  /// Apple: not more often than once in 20 minutes, counted for each connection. dotAPNS renews at exactly 20 minutes
  /// by its own clock, so half a minute is forgiven.
  package static let shortestTokenLife: Int64 = (20 * 60 - 30) * 1000

  package private(set) var credential = ConnectionCredential()
  /// The key that the connection's tokens name; later ones must be related to it.
  package private(set) var key: ProviderKeyring.Key?
  private var tokenChanged: LedgerTime?
  /// A text that was refused for what it is, so that a client that insists does not cost a signature check each time.
  private var refused: (text: [UInt8], generation: UInt32, refusal: Refusal)?
  private var signatureChecks = ProviderSession.signatureAllowance

  package init() {}

  /// The connection's client certificate was found good. A later one takes the place of an earlier.
  package func accept(_ certificate: CertificateCredential) { credential = ConnectionCredential(certificate) }

  /// Who the provider is, once it has shown it.
  package var team: String? { credential.certificate?.team ?? key?.team }

  /// What the provider may send to by what it has proved; nil for a request that names another key than the proven one.
  package func provenGrant(naming keyID: String?) -> TopicGrant? {
    if let certificate = credential.certificate { return certificate.topics }
    return key?.keyID == keyID ? key?.grant : nil
  }

  /// Whether the connection ever showed a valid provider token, or a certificate. SETTINGS allows one stream until then
  /// (Apple: Sending notification requests to APNs).
  package var isAuthenticated: Bool { credential.isPresent }

  func refusal(of authorization: UnsafeRawBufferPointer, generation: UInt32) -> Refusal? {
    guard let refused, refused.generation == generation else { return nil }
    return refused.text.withUnsafeBytes { $0.hasSameBytes(as: authorization) } ? refused.refusal : nil
  }

  func remember(_ refusal: Refusal, of authorization: UnsafeRawBufferPointer, generation: UInt32) {
    guard authorization.count <= ProviderToken.maximumBytes + 16 else { return }
    refused = (Array(authorization), generation, refusal)
  }

  /// To be called before each signature check.
  func spendSignatureCheck(at now: LedgerTime) throws(Refusal) {
    guard let wait = signatureChecks.spend(at: now) else { return }
    throw Refusal(
      .tooManyProviderTokenUpdates,
      "This connection shows new JWTs faster than they are checked; sign one and use it for 20 to 60 minutes.",
      retryAfter: wait)
  }

  /// Takes a genuine token of the right age that is not the one last used: one team for each connection, keys that are
  /// related, and no change within 20 minutes, except to a token that a reload of the keys made necessary.
  ///
  /// A change is another `kid` or another `iat`, and not another text: padding and the two forms of a signature give
  /// one token many texts (apns-contract §4.2).
  func accept(
    _ new: ProviderCredential, of key: ProviderKeyring.Key, for authorization: UnsafeRawBufferPointer, now: LedgerTime
  ) throws(Refusal) {
    if let bound = self.key {
      guard bound.team == key.team else {
        throw Refusal(.invalidProviderToken, "This connection belongs to another team; open a new one for this team.")
      }
      guard key.isRelated(to: bound) else {
        throw Refusal(
          .unrelatedKeyIDInToken,
          "The JWT's kid names a key that is not related to the first one of this connection; open a new one for it.")
      }
    }
    if !(self.key?.keyID == key.keyID && credential.issuedAt == new.issuedAt) {
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
    self.key = key
    credential.accept(new, for: authorization)
  }
}
