/// `apns-push-type`: the eleven values that Apple lists, in lower case.
package enum PushType: String, CaseIterable, Sendable {
  case alert, background, complication, controls, fileprovider, liveactivity, location, mdm, pushtotalk, voip, widgets

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
