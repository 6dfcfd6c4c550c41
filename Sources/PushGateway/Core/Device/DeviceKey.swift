import TokenStore

/// What proves to be a device: 32 random bytes, written as 64 hex digits. The gateway keeps only a SHA-256 of the
/// bytes, and the key itself for no longer than the answer that hands it out.
package struct DeviceKey: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  package static let count = 32

  /// Read it where it is hashed and nowhere else.
  package let bytes: [UInt8]

  /// - Parameter bytes: 32 bytes of the system's random source; any other number is our own mistake.
  package init(randomBytes bytes: [UInt8]) {
    precondition(bytes.count == Self.count, "A device key has 32 bytes.")
    self.bytes = bytes
  }

  /// A credential that is no device key at all is refused like a wrong one.
  package init(_ credential: Secret<[UInt8]>) throws(DeviceRefusal) {
    let hex = credential.revealed
    guard hex.count == 2 * Self.count else { throw DeviceRefusal(.badCredential) }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Self.count)
    for index in stride(from: 0, to: hex.count, by: 2) {
      guard let high = HexDigits.value(of: hex[index]), let low = HexDigits.value(of: hex[index + 1]) else {
        throw DeviceRefusal(.badCredential)
      }
      bytes.append(high << 4 | low)
    }
    self.bytes = bytes
  }

  /// As the device keeps it: lower-case hex. Only the answer that hands the key out may hold this.
  package var revealedText: String { HexDigits.text(of: bytes) }

  package var description: String { "<secret>" }
  package var debugDescription: String { "<secret>" }
  package var customMirror: Mirror { Mirror(self, children: []) }
}
