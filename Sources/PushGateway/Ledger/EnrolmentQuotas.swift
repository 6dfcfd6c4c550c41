import BudgetThrottle
import GatewayCore
import GatewayIO
import TokenStore

/// How many devices may enrol, by key and by address. The ledger's, so that all loops together count.
final class EnrolmentQuotas {
  /// By the key's fingerprint. A key that stays keeps what was counted against it.
  private var quotas: [UInt64: EnrolmentQuota] = [:]
  private var addresses = AddressQuotas()

  init(_ configuration: GatewayConfiguration, at now: LedgerTime) { replace(with: configuration, at: now) }

  func replace(with configuration: GatewayConfiguration, at now: LedgerTime) {
    var kept: [UInt64: EnrolmentQuota] = [:]
    var rates: [UInt64: Int] = [:]
    for enrolment in configuration.enrolments {
      let key = EnrolmentKey(enrolment).fingerprint
      let fresh = EnrolmentQuota(
        maximumDevices: enrolment.maximumDevices, perMinute: enrolment.perMinute, now: now)
      let old = quotas[key]
      let isSame = old?.maximumDevices == fresh.maximumDevices && old?.perMinute == fresh.perMinute
      kept[key] = isSame ? old : fresh
      if rates[key] == nil { rates[key] = enrolment.perAddressPerMinute }
    }
    quotas = kept
    addresses.replace(rates: rates)
  }

  /// Counts one enrolment against its key, and against its address with that key. One that either refuses counts for
  /// nothing.
  /// - Parameters:
  ///   - host: where it comes from, without the port.
  ///   - enrolled: devices that the key has enrolled so far.
  func admit(in scope: DeviceScope, from host: String, enrolled: Int, at now: LedgerTime) throws(DeviceRefusal) {
    let key = scope.keyFingerprint
    if let refusal = addresses.refusal(of: host, key: key, at: now) { throw refusal }
    if let refusal = quotas[key]?.admit(enrolled: enrolled, now: now) { throw refusal }
    addresses.count(host, key: key, at: now)
  }
}
