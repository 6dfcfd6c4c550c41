package import TokenStore

/// One app, shared by all its registrations.
package final class App: Sendable {
  package let bundleID: BundleID
  /// `<bundleID>.push-type.widgets`.
  package let topic: String

  package init(_ bundleID: BundleID) {
    self.bundleID = bundleID
    topic = WidgetTopic.text(for: bundleID)
  }
}
