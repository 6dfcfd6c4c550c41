package import TokenStore

/// The provider keys of a configuration: who they belong to and what they may send to. The keys proper stay with
/// whoever implements ``SignatureVerifying``, under the same indexes.
package struct ProviderKeyring: Sendable {
  package struct Key: Sendable {
    package let keyID: String
    package let team: String
    package let environment: GatewayEnvironment
    package let scope: ProviderKeyScope
    package let grant: TopicGrant

    package init(
      keyID: String, team: String, environment: GatewayEnvironment, scope: ProviderKeyScope = .team,
      topics: [BundlePattern]
    ) {
      self.keyID = keyID
      self.team = team
      self.environment = environment
      self.scope = scope
      grant = TopicGrant(topics)
    }

    /// Whether a connection that began with `other` may go on with this key (apns-contract §4.1): all team-scoped keys
    /// of a team are related, and topic-specific ones that are for the same topics.
    package func isRelated(to other: Key) -> Bool {
      guard team == other.team, environment == other.environment else { return false }
      if keyID == other.keyID { return true }
      guard scope == other.scope else { return false }
      return scope == .team || Set(grant.patterns) == Set(other.grant.patterns)
    }
  }

  /// Who a JWT says it is from, which its signature has yet to prove.
  package struct Claim {
    fileprivate let token: ProviderToken
    fileprivate let key: Int

    /// UNIX seconds.
    package var issuedAt: Int64 { token.issuedAt }
  }

  package let keys: [Key]
  /// One more at each reload, so that whatever was verified with the keys before is verified anew.
  package let generation: UInt32
  private let indexes: [String: [Int]]

  package init(keys: [Key], generation: UInt32) {
    self.keys = keys
    self.generation = generation
    indexes = Dictionary(grouping: keys.indices) { keys[$0].keyID }
  }

  /// Takes the keys of a configuration in their order.
  package init(_ keys: [GatewayConfiguration.ProviderKey], generation: UInt32) {
    self.init(
      keys: keys.map {
        Key(keyID: $0.keyID, team: $0.team, environment: $0.environment, scope: $0.scope, topics: $0.topics)
      },
      generation: generation)
  }

  /// Reads a JWT and finds the key that it names, or says why there is none. Its age and its signature are not looked
  /// at: the cheap questions come first, so a stranger's token costs no signature check.
  package func claim(
    of text: UnsafeRawBufferPointer, environment: GatewayEnvironment
  ) throws(Refusal) -> Claim {
    let token: ProviderToken
    do throws(ProviderTokenFault) {
      token = try ProviderToken(text)
    } catch {
      throw error.refusal
    }
    let named = indexes[token.keyID] ?? []
    guard !named.isEmpty else {
      throw Refusal(
        .invalidProviderToken,
        "The gateway has no provider key with the JWT's kid; sign with one that it has, or add this one to it.")
    }
    let here = named.filter { keys[$0].environment == environment }
    guard !here.isEmpty else {
      throw Refusal(
        .badEnvironmentKeyIDInToken,
        "The JWT's kid names a key that is not of the \(environment.rawValue) environment; push to the other listener."
      )
    }
    guard let index = here.first(where: { keys[$0].team == token.team }) else {
      throw Refusal(
        .invalidProviderToken, "The JWT's iss is not the team of the key that its kid names; send that team's ID.")
    }
    return Claim(token: token, key: index)
  }

  /// - Parameter text: what `claim` was read from.
  /// - Returns: nil when the signature is not by the key that the JWT names.
  package func credential(
    for claim: Claim, of text: UnsafeRawBufferPointer, signatures: any SignatureVerifying
  ) -> ProviderCredential? {
    let isGenuine = claim.token.signature.withUnsafeBytes { signature in
      signatures.verifies(
        signature, of: UnsafeRawBufferPointer(rebasing: text[claim.token.signingInput]), key: claim.key)
    }
    guard isGenuine else { return nil }
    return ProviderCredential(key: claim.key, issuedAt: claim.token.issuedAt, generation: generation)
  }
}
