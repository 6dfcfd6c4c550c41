/// `apns-push-type`: the eleven values that Apple lists, in lower case.
package enum PushType: String, CaseIterable, Sendable {
  case alert, background, complication, controls, fileprovider, liveactivity, location, mdm, pushtotalk, voip, widgets

  /// What follows the bundle ID in `apns-topic`; empty where nothing does, and for `mdm`, whose topic is no bundle ID
  /// (Apple: Sending notification requests to APNs).
  package var topicSuffix: StaticString {
    switch self {
    case .alert, .background, .mdm: ""
    case .complication: ".complication"
    case .controls: ".push-type.controls"
    case .fileprovider: ".pushkit.fileprovider"
    case .liveactivity: ".push-type.liveactivity"
    case .location: ".location-query"
    case .pushtotalk: ".voip-ptt"
    case .voip: ".voip"
    case .widgets: WidgetTopic.suffix
    }
  }

  /// - Returns: nil unless `text` is one of the eleven, in lower case.
  package init?(_ text: UnsafeRawBufferPointer) {
    // Nearly every push is one; the others need not be fast.
    if text.equals("widgets") {
      self = .widgets
      return
    }
    guard let type = PushType(rawValue: String(decoding: text.prefix(32), as: UTF8.self)) else { return nil }
    self = type
  }
}
