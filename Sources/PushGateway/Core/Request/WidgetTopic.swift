package import TokenStore

/// `apns-topic` of a widget push: a bundle ID and `.push-type.widgets`
/// (Apple: Updating widgets with WidgetKit push notifications).
package enum WidgetTopic {
  package static let suffix: StaticString = ".push-type.widgets"

  /// Why a value is no topic of a widget push.
  package enum Fault: Error, Equatable, Sendable {
    /// It may be right at Apple, for pushes that this gateway does not take; nil where no suffix says for which.
    case otherKind(PushType?)
    case notABundleID
  }

  /// The bundle ID's part of a topic, unchecked; nil when the suffix is missing.
  @inline(__always)
  static func bundleIDPart(of topic: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
    guard topic.hasSuffix(suffix) else { return nil }
    return UnsafeRawBufferPointer(rebasing: topic[..<(topic.count - suffix.utf8CodeUnitCount)])
  }

  /// The app that a topic addresses, for places that are not hot (those have a ``TopicTable``).
  package static func bundleID(of topic: UnsafeRawBufferPointer) -> BundleID? {
    guard let name = bundleIDPart(of: topic), name.count <= BundleID.maximumCount else { return nil }
    return BundleID(String(decoding: name, as: UTF8.self))
  }

  /// What is wrong with a topic that has not the suffix.
  static func fault(ofOther topic: UnsafeRawBufferPointer) -> Fault {
    .otherKind(PushType.allCases.first { $0.topicSuffix.utf8CodeUnitCount > 0 && topic.hasSuffix($0.topicSuffix) })
  }

  /// The topic of an app's widgets, as the device API shows it.
  package static func text(for bundleID: BundleID) -> String { "\(bundleID)\(suffix)" }
}

extension WidgetTopic.Fault {
  package var detail: String {
    switch self {
    case .otherKind(let type?):
      "apns-topic is one of \(type.rawValue) pushes; this gateway takes only those to <bundle ID>.push-type.widgets."
    case .otherKind(nil): "apns-topic must end in .push-type.widgets, after the app's bundle ID."
    case .notABundleID: "What stands before .push-type.widgets in apns-topic is no bundle ID; send the app's."
    }
  }
}
