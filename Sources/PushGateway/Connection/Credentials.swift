import BudgetThrottle
import GatewayCore
import GatewayIO
import HTTPMessage
import TokenStore

/// Who may send and who may enrol: the keys of a configuration, with what was verified under them. A reload replaces
/// all of it at once, so that nothing verified under old keys lives on.
final class Credentials {
  private let development: ProviderAuthenticator
  private let production: ProviderAuthenticator
  /// What the authenticators were made of. A reload that leaves it as it was leaves them, too: what they have verified
  /// need not be verified again at the providers' cost.
  private var providerKeys: [GatewayConfiguration.ProviderKey]?
  private var keys: ProviderKeys
  private var generation: UInt32 = 0
  private var enrolmentKeys: [EnrolmentKey] = []

  init(_ configuration: GatewayConfiguration, keys: ProviderKeys) {
    self.keys = keys
    let none = ProviderKeyring(keys: [], generation: generation)
    development = ProviderAuthenticator(environment: .development, keyring: none)
    production = ProviderAuthenticator(environment: .production, keyring: none)
    replace(with: configuration, keys: keys)
  }

  func replace(with configuration: GatewayConfiguration, keys: ProviderKeys) {
    if providerKeys != configuration.providerKeys {
      self.keys = keys
      providerKeys = configuration.providerKeys
      generation += 1
      let keyring = ProviderKeyring(configuration.providerKeys, generation: generation)
      development.replaceKeyring(keyring)
      production.replaceKeyring(keyring)
    }
    enrolmentKeys = configuration.enrolments.map { EnrolmentKey($0) }
  }

  /// What the provider may send to.
  /// - Parameters:
  ///   - wall: for the token's age.
  ///   - now: for the time between two tokens.
  func authenticate(
    _ header: borrowing HeaderBlock, in environment: GatewayEnvironment, session: ProviderSession, wall: UnixTime,
    now: LedgerTime
  ) throws(Refusal) -> TopicGrant {
    switch environment {
    case .development:
      try development.authenticate(header, session: session, now: wall, ledgerNow: now, signatures: keys)
    case .production:
      try production.authenticate(header, session: session, now: wall, ledgerNow: now, signatures: keys)
    }
  }

  /// nil when no configured key is this one. Each is compared, in constant time.
  func scope(ofEnrolmentKey key: Secret<[UInt8]>) -> DeviceScope? {
    let digest = SHA256Digest.of(key.revealed).bytes
    var found: DeviceScope?
    for candidate in enrolmentKeys where constantTimeEqual(candidate.digest, digest) { found = candidate.scope }
    return found
  }
}
