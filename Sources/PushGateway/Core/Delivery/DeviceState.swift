package import BudgetThrottle
package import TokenStore

/// What the ledger knows of one device. Loop-bound, like the ledger that owns it.
package final class DeviceState {
  /// Whether the device can be handed something.
  package enum Link: Equatable {
    case away
    /// A stream is open; `isWritable` is false from a hand-over until the stream's output is empty again.
    case attached(SessionID, isWritable: Bool)
  }

  /// nil while the device is away, as most are.
  private var attachment: Attachment?
  /// Its row in the store.
  package let number: UInt64
  package let id: DeviceID
  private var keyDigest = InlineArray<32, UInt8>(repeating: 0)
  /// Hours of ledger time, which fit in beside the digest. 0: not known.
  private var lastSeenHour: UInt32 = 0
  private let model: DeviceModel
  package internal(set) var registrations = OwnedRegistrations()

  /// What the device says of itself; ends with the stream.
  private final class Attachment {
    var link: Link
    var foreground: BundleID?
    var session: AppSession?
    var isAsleep = false

    init(_ link: Link) { self.link = link }
  }

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

  package convenience init(number: UInt64, id: DeviceID, keyHash: [UInt8], model: DeviceModel) {
    self.init(number: number, id: id, keyHash: keyHash.withUnsafeBytes { Self.digest($0) }, model: model)
  }

  init(number: UInt64, id: DeviceID, keyHash: InlineArray<32, UInt8>, model: DeviceModel) {
    self.number = number
    self.id = id
    self.model = model
    keyDigest = keyHash
  }

  package var platform: Platform { model.platform }
  package var os: String { model.os }
  package var scope: DeviceScope { model.scope }

  /// SHA-256 of the device key: 32 bytes.
  package internal(set) var keyHash: [UInt8] {
    get { (0..<32).map { keyDigest[$0] } }
    set { keyDigest = newValue.withUnsafeBytes { Self.digest($0) } }
  }

  /// - Parameter bytes: what is missing of 32 is zeros.
  static func digest(_ bytes: UnsafeRawBufferPointer) -> InlineArray<32, UInt8> {
    var digest = InlineArray<32, UInt8>(repeating: 0)
    withUnsafeMutableBytes(of: &digest) {
      $0.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes.prefix(32)))
    }
    return digest
  }

  /// When the device was last heard of, to a day (see ``Ledger/noteContact(with:at:)``), rounded down to an hour. nil
  /// where a store of an earlier version did not say.
  package internal(set) var lastSeen: LedgerTime? {
    get { lastSeenHour == 0 ? nil : LedgerTime(milliseconds: Int64(lastSeenHour) * 3_600_000) }
    set { lastSeenHour = newValue.map { UInt32(clamping: $0.milliseconds / 3_600_000) } ?? 0 }
  }

  package internal(set) var link: Link {
    get { attachment?.link ?? .away }
    set {
      if let attachment, newValue != .away { return attachment.link = newValue }
      attachment = newValue == .away ? nil : Attachment(newValue)
      for registration in registrations { registration.isDeviceAttached = isAttached }
    }
  }

  func add(_ registration: RegistrationState) {
    registrations.append(registration)
    registration.isDeviceAttached = isAttached
  }

  package internal(set) var foreground: BundleID? {
    get { attachment?.foreground }
    set { attachment?.foreground = newValue }
  }

  package internal(set) var session: AppSession? {
    get { attachment?.session }
    set { attachment?.session = newValue }
  }

  package internal(set) var isAsleep: Bool {
    get { attachment?.isAsleep ?? false }
    set { attachment?.isAsleep = newValue }
  }

  package var isAttached: Bool { attachment != nil }

  package var writableSession: SessionID? {
    guard case .attached(let session, isWritable: true) = link else { return nil }
    return session
  }

  func isExempt(_ app: BundleID) -> Bool {
    guard let attachment else { return false }
    return attachment.foreground == app || attachment.session?.app == app
  }
}
