import GatewayCore
import GatewayIO
import TokenStore

/// A configured enrolment key by its digest, and what its devices may be.
struct EnrolmentKey {
  let digest: [UInt8]
  let scope: DeviceScope

  /// What a key is called where devices and quotas refer to it.
  var fingerprint: UInt64 { scope.keyFingerprint }

  init(_ enrolment: GatewayConfiguration.Enrolment) {
    digest = SHA256Digest.of(enrolment.key.revealed).bytes
    scope = DeviceScope(enrolment, keyFingerprint: digest.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
  }
}
