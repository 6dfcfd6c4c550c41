package import TokenStore

/// What a registration showed until it changed. Decisions name widgets by their place in a list; those that are older
/// than the change are told with the list of their time, and found by the token of their time.
package struct FormerFace: Hashable, Sendable {
  package var app: BundleID
  package var environment: GatewayEnvironment
  package var token: DeviceToken
  package var device: DeviceID
  package var widgets: [Widget]

  package init(
    app: BundleID, environment: GatewayEnvironment, token: DeviceToken, device: DeviceID, widgets: [Widget]
  ) {
    self.app = app
    self.environment = environment
    self.token = token
    self.device = device
    self.widgets = widgets
  }

  package init(_ registration: RegistrationState) {
    self.init(
      app: registration.app.bundleID, environment: registration.environment, token: registration.token,
      device: registration.device.id, widgets: registration.widgets)
  }
}
