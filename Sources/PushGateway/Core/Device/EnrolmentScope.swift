package import TokenStore

/// What devices that enrolled with one key may register.
package struct EnrolmentScope: Equatable, Sendable {
  package var bundleIDs: [BundlePattern]
  package var environments: [GatewayEnvironment]

  package init(bundleIDs: [BundlePattern], environments: [GatewayEnvironment]) {
    self.bundleIDs = bundleIDs
    self.environments = environments
  }

  package init(_ enrolment: GatewayConfiguration.Enrolment) {
    self.init(bundleIDs: enrolment.bundleIDs, environments: enrolment.environments)
  }

  /// - Returns: why a registration is outside of the scope; nil when it is within. The app is looked at first.
  package func refusal(of app: BundleID, in environment: GatewayEnvironment) -> DeviceRefusal? {
    guard bundleIDs.contains(where: { $0.matches(app) }) else {
      return DeviceRefusal(.appNotAllowed, "the key that enrolled this device is not for the app \(app)")
    }
    guard environments.contains(environment) else {
      return DeviceRefusal(
        .environmentNotAllowed, "the key that enrolled this device is not for \(environment.rawValue)")
    }
    return nil
  }
}
