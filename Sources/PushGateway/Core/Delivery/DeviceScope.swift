package import TokenStore

/// What a device may register, as the enrolment key granted it. Shared by all devices of one key.
package final class DeviceScope: Sendable, Hashable {
  /// Patterns that one may have: what the store takes back.
  package static let maximumPatterns = 1 << 12

  /// Tells enrolment keys apart without keeping them.
  package let keyFingerprint: UInt64
  package let bundleIDs: [BundlePattern]
  /// Each once, in the order of all.
  package let environments: [GatewayEnvironment]

  package init(keyFingerprint: UInt64, bundleIDs: [BundlePattern], environments: [GatewayEnvironment]) {
    self.keyFingerprint = keyFingerprint
    self.bundleIDs = bundleIDs
    self.environments = GatewayEnvironment.allCases.filter(environments.contains)
  }

  package func allows(_ bundleID: BundleID) -> Bool { bundleIDs.contains { $0.matches(bundleID) } }
  package func allows(_ environment: GatewayEnvironment) -> Bool { environments.contains(environment) }

  package static func == (left: DeviceScope, right: DeviceScope) -> Bool {
    left.keyFingerprint == right.keyFingerprint && left.bundleIDs == right.bundleIDs
      && left.environments == right.environments
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(keyFingerprint) }
}
