import BudgetThrottle

/// What one device may ask of the gateway. A widget's own limits stand with ``Widget``.
package enum DeviceLimits {
  /// Bytes of a request's body.
  package static let bodyBytes = 64 << 10
  /// Widgets of one registration.
  package static let widgets = WidgetSet.capacity
  /// Apps of one device.
  package static let apps = Ledger.maximumAppsPerDevice
  /// Decisions that one `explain` answers with.
  package static let explained = 1...200
  /// Decisions that `explain` answers with when it is not told how many.
  package static let explainedByDefault = 20
}
