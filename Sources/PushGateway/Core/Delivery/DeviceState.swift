package import TokenStore

/// What the ledger knows of one device. Loop-bound, like the ledger that owns it.
package final class DeviceState {
  /// Whether the device can be handed something.
  package enum Link: Equatable {
    case away
    /// A stream is open; `isWritable` is false from a hand-over until the stream's output is empty again.
    case attached(SessionID, isWritable: Bool)
  }

  /// Its row in the store.
  package let number: UInt64
  package let id: DeviceID
  /// SHA-256 of the device key.
  package internal(set) var keyHash: [UInt8]
  package let platform: Platform
  package let os: String
  package let scope: DeviceScope
  package internal(set) var registrations: [RegistrationState] = []

  // What the device says of itself; ends with the stream.
  package internal(set) var link = Link.away
  package internal(set) var foreground: BundleID?
  package internal(set) var session: AppSession?
  package internal(set) var isAsleep = false

  /// An audio or navigation session, which makes its app's refreshes free (Apple: Keeping a widget up to date).
  package struct AppSession: Equatable, Sendable {
    package enum Kind: String, CaseIterable, Sendable, Codable { case audio, navigation }
    package var app: BundleID
    package var kind: Kind

    package init(app: BundleID, kind: Kind) {
      self.app = app
      self.kind = kind
    }
  }

  package init(
    number: UInt64, id: DeviceID, keyHash: [UInt8], platform: Platform, os: String, scope: DeviceScope
  ) {
    self.number = number
    self.id = id
    self.keyHash = keyHash
    self.platform = platform
    self.os = os
    self.scope = scope
  }

  package var isAttached: Bool { link != .away }

  package var writableSession: SessionID? {
    guard case .attached(let session, isWritable: true) = link else { return nil }
    return session
  }

  func isExempt(_ app: BundleID) -> Bool { foreground == app || session?.app == app }
}
