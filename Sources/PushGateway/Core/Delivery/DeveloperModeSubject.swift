package import TokenStore

/// Whom developer mode is granted to.
package enum DeveloperModeSubject: Hashable, Sendable, CustomStringConvertible {
  case app(BundleID)
  case device(DeviceID)

  package var description: String {
    switch self {
    case .app(let bundleID): "app \(bundleID)"
    case .device(let device): "device \(device)"
    }
  }
}
