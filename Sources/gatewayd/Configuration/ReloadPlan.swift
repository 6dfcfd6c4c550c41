package import GatewayCore

/// What a reload changes: compared by value, so a new file with the old meaning changes nothing.
package struct ReloadPlan: Sendable {
  /// Changed, and applied by this reload.
  package let atOnce: [ConfigurationKey]
  /// Changed, and not applied before the next start.
  package let afterRestart: [ConfigurationKey]
  /// What the gateway runs with from now on: the new values, and the old ones of ``afterRestart``.
  package let configuration: GatewayConfiguration

  /// - Parameter running: what the gateway runs with now, which after an earlier reload is not what any file says.
  package init(running: GatewayConfiguration, new: GatewayConfiguration) {
    var atOnce: [ConfigurationKey] = []
    var afterRestart: [ConfigurationKey] = []
    var configuration = new
    for key in ConfigurationKey.allCases {
      guard let slot = key.slot, slot.differs(running, new) else { continue }
      switch key.facts.effect {
      case .reload: atOnce.append(key)
      case .restart:
        afterRestart.append(key)
        slot.copy(running, &configuration)
      }
    }
    self.atOnce = atOnce
    self.afterRestart = afterRestart
    self.configuration = configuration
  }

  package var isEmpty: Bool { atOnce.isEmpty && afterRestart.isEmpty }

  /// One line for the log: names of keys, never values.
  package var summary: String {
    let applied = atOnce.isEmpty ? "nothing to apply" : "applied " + Self.names(atOnce)
    return afterRestart.isEmpty ? applied : applied + "; needs a restart: " + Self.names(afterRestart)
  }

  private static func names(_ keys: [ConfigurationKey]) -> String {
    keys.map(\.rawValue).joined(separator: ", ")
  }
}
