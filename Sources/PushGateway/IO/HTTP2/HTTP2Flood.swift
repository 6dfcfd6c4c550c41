/// What a flooding peer had too many of. The raw value is for logs and metric labels.
package enum HTTP2Flood: String, CaseIterable, Sendable {
  /// Streams opened and reset again, or broken so that we must reset them (CVE-2023-44487 and its mirror image).
  case resets
  /// PING, SETTINGS, and DATA frames that carry nothing.
  case controlFrames = "control-frames"
  /// CONTINUATION frames after one HEADERS frame.
  case continuations
  /// Frames that the peer made us queue and does not read.
  case unreadFrames = "unread-frames"
}
