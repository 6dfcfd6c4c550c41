package import TokenStore

/// What a device may register, as the enrolment key granted it. Shared by all devices of one key.
package final class DeviceScope: Sendable, Hashable {
  /// Tells enrolment keys apart without keeping them.
  package let keyFingerprint: UInt64
  package let bundleIDs: [BundlePattern]
  package let environments: [GatewayEnvironment]

  package init(keyFingerprint: UInt64, bundleIDs: [BundlePattern], environments: [GatewayEnvironment]) {
    self.keyFingerprint = keyFingerprint
    self.bundleIDs = bundleIDs
    self.environments = environments
  }

  package func allows(_ bundleID: BundleID) -> Bool { bundleIDs.contains { $0.matches(bundleID) } }
  package func allows(_ environment: GatewayEnvironment) -> Bool { environments.contains(environment) }

  package static func == (left: DeviceScope, right: DeviceScope) -> Bool {
    left.keyFingerprint == right.keyFingerprint && left.bundleIDs == right.bundleIDs
      && left.environments == right.environments
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(keyFingerprint) }
}
