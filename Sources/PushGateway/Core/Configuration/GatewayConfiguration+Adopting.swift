extension GatewayConfiguration {
  /// What a running gateway makes of a newer configuration: some keys need a restart; see the table of keys.
  package func adopting(_ new: GatewayConfiguration) -> GatewayConfiguration {
    var adopted = new
    adopted.loops = loops
    adopted.providers = providers.takingClientCAs(from: new.providers)
    adopted.device = device
    adopted.store = store
    adopted.admin = admin
    return adopted
  }
}
