/// What of a widget's surroundings bears on its next hand-over. Whether its device is there and can take more is not
/// part of it: that is asked once for a whole device.
package struct DeliveryConditions: Hashable, Sendable {
  /// The app is in the foreground, or in an audio or navigation session.
  package var isExempt: Bool
  /// Developer mode is on for the app or the device, and the registration is a development one.
  package var isBypassed: Bool
  package var isAsleep: Bool
  /// Milliseconds.
  package var lowPriorityWindow: Int64

  package init(
    isExempt: Bool = false, isBypassed: Bool = false, isAsleep: Bool = false, lowPriorityWindow: Int64 = 2000
  ) {
    self.isExempt = isExempt
    self.isBypassed = isBypassed
    self.isAsleep = isAsleep
    self.lowPriorityWindow = lowPriorityWindow
  }
}
