/// What a device runs.
package enum Platform: String, CaseIterable, Sendable, Codable {
  case iOS, iPadOS, macOS, watchOS, visionOS
}
