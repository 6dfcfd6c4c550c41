/// `apns-priority` as it bears on a refresh (Apple: Sending notification requests to APNs).
package enum RefreshPriority: UInt8, CaseIterable, Comparable, Sendable {
  /// Power above all: grouped, and never while the device says that it sleeps.
  case power = 1
  /// Grouped within the low-priority window.
  case grouped = 5
  /// At once.
  case immediate = 10

  package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}
