package import TokenStore

/// An app plays audio or navigates; its widgets are not charged meanwhile.
package struct DeviceSession: Hashable, Sendable {
  package enum Kind: String, CaseIterable, Sendable { case audio, navigation }

  package var app: BundleID
  package var kind: Kind

  package init(app: BundleID, kind: Kind) {
    self.app = app
    self.kind = kind
  }
}
