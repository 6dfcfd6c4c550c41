package import TokenStore

/// What many devices have in common, kept once for all of them.
package final class DeviceModel: Sendable, Hashable {
  package let platform: Platform
  package let os: String
  package let scope: DeviceScope

  package init(platform: Platform, os: String, scope: DeviceScope) {
    self.platform = platform
    self.os = os
    self.scope = scope
  }

  package static func == (left: DeviceModel, right: DeviceModel) -> Bool {
    left.platform == right.platform && left.os == right.os && left.scope == right.scope
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(platform)
    hasher.combine(os)
    hasher.combine(scope)
  }
}
