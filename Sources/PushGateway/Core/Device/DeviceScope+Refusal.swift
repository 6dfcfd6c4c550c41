package import TokenStore

extension DeviceScope {
  package convenience init(_ enrolment: GatewayConfiguration.Enrolment, keyFingerprint: UInt64) {
    self.init(
      keyFingerprint: keyFingerprint, bundleIDs: enrolment.bundleIDs, environments: enrolment.environments)
  }

  /// - Returns: why a registration is outside of the scope; nil when it is within. The app is looked at first.
  package func refusal(of app: BundleID, in environment: GatewayEnvironment) -> DeviceRefusal? {
    guard allows(app) else {
      return DeviceRefusal(.appNotAllowed, "the key that enrolled this device is not for the app \(app)")
    }
    guard allows(environment) else {
      return DeviceRefusal(
        .environmentNotAllowed, "the key that enrolled this device is not for \(environment.rawValue)")
    }
    return nil
  }
}
