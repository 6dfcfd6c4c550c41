/// Who switched developer mode.
public enum DeveloperModeSource: String, Codable, Sendable, CaseIterable {
  /// Through the admin API.
  case `operator`
  /// The device itself, with its own key.
  case device
}
