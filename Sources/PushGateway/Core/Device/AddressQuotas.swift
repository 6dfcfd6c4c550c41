package import BudgetThrottle

/// How many devices one address lets in with one enrolment key, so that whoever has the key cannot use it up for all.
package struct AddressQuotas: Sendable {
  private struct Source: Hashable {
    var key: UInt64
    var host: String
  }

  /// Addresses beyond which those that count for nothing any more are forgotten.
  private static let kept = 1024

  /// By key; a minute's allowance, 0 = no limit.
  private var rates: [UInt64: Int] = [:]
  private var quotas: [Source: EnrolmentQuota] = [:]
  private var sweepAt = AddressQuotas.kept

  package init() {}

  /// - Parameter rates: by the key's fingerprint.
  package mutating func replace(rates: [UInt64: Int]) {
    for source in quotas.keys where rates[source.key] != self.rates[source.key] { quotas[source] = nil }
    self.rates = rates
  }

  package func refusal(of host: String, key: UInt64, at now: LedgerTime) -> DeviceRefusal? {
    guard var quota = quota(of: host, key: key, at: now) else { return nil }
    guard var refusal = quota.admit(enrolled: 0, now: now) else { return nil }
    refusal.detail = "too many devices enrol with this key from this address right now"
    return refusal
  }

  package mutating func count(_ host: String, key: UInt64, at now: LedgerTime) {
    guard var quota = quota(of: host, key: key, at: now) else { return }
    _ = quota.admit(enrolled: 0, now: now)
    quotas[Source(key: key, host: host)] = quota
    guard quotas.count > sweepAt else { return }
    for source in quotas.keys where quotas[source]?.isFull(at: now) == true { quotas[source] = nil }
    sweepAt = max(Self.kept, 2 * quotas.count)
  }

  package var addressCount: Int { quotas.count }

  private func quota(of host: String, key: UInt64, at now: LedgerTime) -> EnrolmentQuota? {
    guard let rate = rates[key], rate > 0 else { return nil }
    return quotas[Source(key: key, host: host)]
      ?? EnrolmentQuota(maximumDevices: .max, perMinute: rate, now: now)
  }
}
