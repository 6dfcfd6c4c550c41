package import TokenStore

/// The provider keys of a configuration: who they belong to and what they may send to. The keys proper stay with
/// whoever implements ``SignatureVerifying``, under the same indexes.
package struct ProviderKeyring: Sendable {
  package struct Key: Sendable {
    package let keyID: String
    package let team: String
    package let environment: GatewayEnvironment
    package let grant: TopicGrant

    package init(keyID: String, team: String, environment: GatewayEnvironment, topics: [BundlePattern]) {
      self.keyID = keyID
      self.team = team
      self.environment = environment
      grant = TopicGrant(topics)
    }
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
      keys: keys.map { Key(keyID: $0.keyID, team: $0.team, environment: $0.environment, topics: $0.topics) },
      generation: generation)
  }

  /// Believes a JWT, or says why not. Its age is not looked at.
  ///
  /// The cheap questions come first, so a stranger's token costs no signature check.
  package func verify(
    _ text: UnsafeRawBufferPointer, environment: GatewayEnvironment, signatures: some SignatureVerifying
  ) throws(Refusal) -> ProviderCredential {
    let token: ProviderToken
    do throws(ProviderTokenFault) {
      token = try ProviderToken(text)
    } catch {
      throw error.refusal
    }
    let named = indexes[token.keyID] ?? []
    guard !named.isEmpty else {
      throw Refusal(.invalidProviderToken, "The gateway has no provider key with the JWT's kid.")
    }
    let here = named.filter { keys[$0].environment == environment }
    guard !here.isEmpty else {
      throw Refusal(
        .badEnvironmentKeyIDInToken, "The JWT's kid names a key that is not of the \(environment.rawValue) environment."
      )
    }
    guard let index = here.first(where: { keys[$0].team == token.team }) else {
      throw Refusal(.invalidProviderToken, "The JWT's iss is not the team of the key that its kid names.")
    }
    let isGenuine = token.signature.withUnsafeBytes { signature in
      signatures.verifies(signature, of: UnsafeRawBufferPointer(rebasing: text[token.signingInput]), key: index)
    }
    guard isGenuine else {
      throw Refusal(.invalidProviderToken, "The JWT's signature does not fit the key that its kid names.")
    }
    return ProviderCredential(key: index, issuedAt: token.issuedAt, generation: generation)
  }
}
