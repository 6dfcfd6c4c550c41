package import TokenStore

/// `apns-topic` of a widget push: a bundle ID and `.push-type.widgets`
/// (Apple: Updating widgets with WidgetKit push notifications).
package enum WidgetTopic {
  package static let suffix: StaticString = ".push-type.widgets"

  /// Why a value is no topic of a widget push.
  package enum Fault: Error, Equatable, Sendable { case otherKind, notABundleID }

  /// The bundle ID's part of a topic, unchecked; nil when the suffix is missing.
  @inline(__always)
  static func bundleIDPart(of topic: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
    guard topic.hasSuffix(suffix) else { return nil }
    return UnsafeRawBufferPointer(rebasing: topic[..<(topic.count - suffix.utf8CodeUnitCount)])
  }

  /// The topic of an app's widgets, as the device API shows it.
  package static func text(for bundleID: BundleID) -> String { "\(bundleID)\(suffix)" }
}

extension WidgetTopic.Fault {
  package var detail: String {
    switch self {
    case .otherKind: "This gateway takes widget pushes only; apns-topic must be <bundle ID>.push-type.widgets."
    case .notABundleID: "What stands before .push-type.widgets in apns-topic is no bundle ID; send the app's."
    }
  }
}
