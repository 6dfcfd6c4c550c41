package import BudgetThrottle
package import HTTPMessage
package import TokenStore

/// The two steps of admission that come first after method and path: provider credential and provider-token rate.
///
/// Owned by one loop, for the provider listeners of one environment; a class, so that no push needs to borrow it. A
/// connection's certificate answers for all its requests. Of provider tokens cheapest first: the text that the connection
/// used last, then any text that some connection used, then a signature check.
package final class ProviderAuthenticator {
  package let environment: GatewayEnvironment
  private var keyring: ProviderKeyring
  private var cache: VerifiedTokenCache

  package init(
    environment: GatewayEnvironment, keyring: ProviderKeyring,
    cacheCapacity: Int = VerifiedTokenCache.defaultCapacity
  ) {
    self.environment = environment
    self.keyring = keyring
    cache = VerifiedTokenCache(capacity: cacheCapacity)
  }

  /// After a reload. Every credential dies with the keyring that vouched for it, which is why the new one needs a
  /// generation of its own.
  package func replaceKeyring(_ keyring: ProviderKeyring) {
    precondition(keyring.generation != self.keyring.generation, "Each keyring has its own generation.")
    self.keyring = keyring
    cache.removeAll()
  }

  /// - Parameters:
  ///   - now: wall time, for the token's age.
  ///   - ledgerNow: for the time between two tokens, which no step of the wall clock may change.
  /// - Returns: what the provider may send to.
  package func authenticate(
    _ header: borrowing HeaderBlock, session: ProviderSession, now: UnixTime, ledgerNow: LedgerTime,
    signatures: any SignatureVerifying
  ) throws(Refusal) -> TopicGrant {
    // Apple: `authorization` is ignored when a client certificate is used.
    if let certificate = session.credential.certificate { return try certificate.grant(at: now) }
    let answer = header.reading(.authorization) { value in
      Result { () throws(Refusal) in
        try authenticate(value, session: session, now: now, ledgerNow: ledgerNow, signatures: signatures)
      }
    }
    guard let answer else { throw ProviderTokenFault.absent.refusal }
    return try answer.get()
  }

  /// As above, of the value itself, for a connection without a certificate.
  package func authenticate(
    _ authorization: UnsafeRawBufferPointer, session: ProviderSession, now: UnixTime, ledgerNow: LedgerTime,
    signatures: any SignatureVerifying
  ) throws(Refusal) -> TopicGrant {
    if let known = session.credential.matching(authorization, generation: keyring.generation) {
      try ProviderTokenAge.check(issuedAt: known.issuedAt, now: now)
      return keyring.keys[known.key].grant
    }
    if let refusal = session.refusal(of: authorization, generation: keyring.generation) { throw refusal }
    let credential = try verified(
      authorization, session: session, now: now, ledgerNow: ledgerNow, signatures: signatures)
    let key = keyring.keys[credential.key]
    try session.accept(credential, of: key, for: authorization, now: ledgerNow)
    return key.grant
  }

  /// What a text is found to be before any signature is checked.
  private enum Reading {
    case known(ProviderCredential)
    case claimed(ProviderKeyring.Claim, text: UnsafeRawBufferPointer)
  }

  /// A genuine token of the right age. What is wrong with a text for good is remembered; that it is too old or too
  /// early, or cannot be checked just now, is not.
  private func verified(
    _ authorization: UnsafeRawBufferPointer, session: ProviderSession, now: UnixTime, ledgerNow: LedgerTime,
    signatures: any SignatureVerifying
  ) throws(Refusal) -> ProviderCredential {
    let reading: Reading
    do throws(Refusal) {
      reading = try read(authorization)
    } catch {
      session.remember(error, of: authorization, generation: keyring.generation)
      throw error
    }
    switch reading {
    case .known(let credential):
      try ProviderTokenAge.check(issuedAt: credential.issuedAt, now: now)
      return credential
    case .claimed(let claim, let text):
      try ProviderTokenAge.check(issuedAt: claim.issuedAt, now: now)
      try session.spendSignatureCheck(at: ledgerNow)
      guard let credential = keyring.credential(for: claim, of: text, signatures: signatures) else {
        let refusal = Refusal(
          .invalidProviderToken,
          "The JWT's signature does not fit the key that its kid names; sign header and claims as sent with that key.")
        session.remember(refusal, of: authorization, generation: keyring.generation)
        throw refusal
      }
      cache.insert(credential, for: text)
      return credential
    }
  }

  private func read(_ authorization: UnsafeRawBufferPointer) throws(Refusal) -> Reading {
    let range: Range<Int>
    do throws(ProviderTokenFault) {
      range = try ProviderToken.range(inAuthorization: authorization)
    } catch {
      throw error.refusal
    }
    let text = UnsafeRawBufferPointer(rebasing: authorization[range])
    if let credential = cache.credential(for: text, generation: keyring.generation) { return .known(credential) }
    return .claimed(try keyring.claim(of: text, environment: environment), text: text)
  }
}
