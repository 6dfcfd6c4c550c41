package import TokenStore

/// What a provider asked for: one push to every registration of an app.
package struct FanOutOrder: Sendable {
  /// What makes two requests the same one.
  package struct Key: Hashable, Sendable {
    package var team: String
    package var bundleID: BundleID
    package var environment: GatewayEnvironment
    package var push: CanonicalUUID
  }

  /// Whose credential it bears; nobody else may look at it.
  package var team: String
  package var bundleID: BundleID
  package var environment: GatewayEnvironment
  package var push: IncomingPush
  package var filter: FanOutFilter

  package init(
    team: String, bundleID: BundleID, environment: GatewayEnvironment, push: IncomingPush, filter: FanOutFilter
  ) {
    self.team = team
    self.bundleID = bundleID
    self.environment = environment
    self.push = push
    self.filter = filter
  }

  package var key: Key { Key(team: team, bundleID: bundleID, environment: environment, push: push.id.uuid) }
}
