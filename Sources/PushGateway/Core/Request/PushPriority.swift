/// `apns-priority`: how soon a push has to arrive. Absent means 10.
package enum PushPriority: UInt8, CaseIterable, Comparable, Sendable {
  /// Never wakes a sleeping device.
  case low = 1
  /// May wait a little, to share a hand-over.
  case considerate = 5
  case immediate = 10

  /// - Returns: nil unless `text` is `1`, `5` or `10`.
  package init?(_ text: UnsafeRawBufferPointer) {
    if text.equals("10") {
      self = .immediate
    } else if text.equals("5") {
      self = .considerate
    } else if text.equals("1") {
      self = .low
    } else {
      return nil
    }
  }

  package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
