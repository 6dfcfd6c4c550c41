import BudgetThrottle
import GatewayCore
import GatewayIO
import HTTPMessage
import TokenStore

/// Who may send and who may enrol: the keys of a configuration, with what was verified under them. A reload replaces
/// all of it at once, so that nothing verified under old keys lives on.
final class Credentials {
  private struct EnrolmentKey {
    var digest: [UInt8]
    var scope: DeviceScope
  }

  // Each a property of its own: every push goes through one, and a dictionary allocates to lend what it holds.
  private var development: ProviderAuthenticator
  private var production: ProviderAuthenticator
  /// What the authenticators were made of. A reload that leaves it as it was leaves them, too: what they have verified
  /// need not be verified again at the providers' cost.
  private var providerKeys: [GatewayConfiguration.ProviderKey]?
  private var keys: ProviderKeys
  private var generation: UInt32 = 0
  private var enrolmentKeys: [EnrolmentKey] = []
  /// By the key's fingerprint. A key that stays keeps what was counted against it.
  private var quotas: [UInt64: EnrolmentQuota] = [:]
  private var addressQuotas = AddressQuotas()

  init(_ configuration: GatewayConfiguration, keys: ProviderKeys, at now: LedgerTime) {
    self.keys = keys
    let none = ProviderKeyring(keys: [], generation: generation)
    development = ProviderAuthenticator(environment: .development, keyring: none)
    production = ProviderAuthenticator(environment: .production, keyring: none)
    replace(with: configuration, keys: keys, at: now)
  }

  func replace(with configuration: GatewayConfiguration, keys: ProviderKeys, at now: LedgerTime) {
    if providerKeys != configuration.providerKeys {
      self.keys = keys
      providerKeys = configuration.providerKeys
      generation += 1
      let keyring = ProviderKeyring(configuration.providerKeys, generation: generation)
      development.replaceKeyring(keyring)
      production.replaceKeyring(keyring)
    }
    var kept: [UInt64: EnrolmentQuota] = [:]
    enrolmentKeys = configuration.enrolments.map { enrolment in
      let digest = SHA256Digest.of(enrolment.key.revealed).bytes
      let fingerprint = digest.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      let fresh = EnrolmentQuota(
        maximumDevices: enrolment.maximumDevices, perMinute: enrolment.perMinute, now: now)
      let old = quotas[fingerprint]
      let isSame = old?.maximumDevices == fresh.maximumDevices && old?.perMinute == fresh.perMinute
      kept[fingerprint] = isSame ? old : fresh
      return EnrolmentKey(digest: digest, scope: DeviceScope(enrolment, keyFingerprint: fingerprint))
    }
    quotas = kept
    addressQuotas.replace(
      rates: Dictionary(
        zip(enrolmentKeys.map(\.scope.keyFingerprint), configuration.enrolments.map(\.perAddressPerMinute)),
        uniquingKeysWith: { first, _ in first }))
  }

  /// What the provider may send to.
  /// - Parameters:
  ///   - wall: for the token's age.
  ///   - now: for the time between two tokens.
  func authenticate(
    _ header: borrowing HeaderBlock, in environment: GatewayEnvironment, session: inout ProviderSession, wall: UnixTime,
    now: LedgerTime
  ) throws(Refusal) -> TopicGrant {
    switch environment {
    case .development:
      try development.authenticate(header, session: &session, now: wall, ledgerNow: now, signatures: keys)
    case .production:
      try production.authenticate(header, session: &session, now: wall, ledgerNow: now, signatures: keys)
    }
  }

  /// nil when no configured key is this one. Each is compared, in constant time.
  func scope(ofEnrolmentKey key: Secret<[UInt8]>) -> DeviceScope? {
    let digest = SHA256Digest.of(key.revealed).bytes
    var found: DeviceScope?
    for candidate in enrolmentKeys where constantTimeEqual(candidate.digest, digest) { found = candidate.scope }
    return found
  }

  /// Counts one enrolment against its key, and against its address with that key. One that either refuses counts for
  /// nothing.
  /// - Parameters:
  ///   - host: where it comes from, without the port.
  ///   - enrolled: devices that the key has enrolled so far.
  func admitEnrolment(
    in scope: DeviceScope, from host: String, enrolled: Int, now: LedgerTime
  ) throws(DeviceRefusal) {
    let key = scope.keyFingerprint
    if let refusal = addressQuotas.refusal(of: host, key: key, at: now) { throw refusal }
    if let refusal = quotas[key]?.admit(enrolled: enrolled, now: now) { throw refusal }
    addressQuotas.count(host, key: key, at: now)
  }
}
