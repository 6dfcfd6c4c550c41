package import TokenStore

/// One app, shared by all its registrations.
package final class App: Sendable {
  package let bundleID: BundleID
  /// `<bundleID>.push-type.widgets`.
  package let topic: String
  private let bytes: [UInt8]

  package init(_ bundleID: BundleID) {
    self.bundleID = bundleID
    topic = bundleID.description + Self.topicSuffix
    bytes = Array(bundleID.description.utf8)
  }

  package static let topicSuffix = ".push-type.widgets"

  package func hasBundleID(_ other: UnsafeRawBufferPointer) -> Bool {
    guard other.count == bytes.count else { return false }
    for index in 0..<bytes.count where other[index] != bytes[index] { return false }
    return true
  }
}
