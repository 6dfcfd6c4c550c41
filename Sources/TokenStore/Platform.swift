/// What a device runs.
package enum Platform: String, CaseIterable, Sendable, Codable {
  case iOS, iPadOS, macOS, watchOS, visionOS

  /// Widget pushes came to all platforms with the same release (Apple: WidgetPushHandler); a device with an older
  /// system cannot hold a token for them.
  package static let firstOSWithWidgetPushes = OSVersion(26)
}
