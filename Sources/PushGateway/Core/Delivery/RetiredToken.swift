package import BudgetThrottle
package import TokenStore

/// A token that was replaced or whose app was removed: answered 410 until it is forgotten.
package struct RetiredToken: Hashable, Sendable {
  package var token: DeviceToken
  package var environment: GatewayEnvironment
  package var bundleID: BundleID
  /// The device that had it; nobody else may register it meanwhile.
  package var owner: DeviceID
  /// When it became invalid: the `timestamp` of the 410.
  package var retiredAt: UnixTime
  /// From then on it is as unknown as any other.
  package var forgottenAt: LedgerTime

  package struct Key: Hashable, Sendable {
    package var token: DeviceToken
    package var environment: GatewayEnvironment

    package init(token: DeviceToken, environment: GatewayEnvironment) {
      self.token = token
      self.environment = environment
    }
  }

  var key: Key { Key(token: token, environment: environment) }
}

extension RetiredToken {
  private static let codecVersion: UInt8 = 1

  func encode() -> [UInt8] {
    let writer = ByteWriter(reserving: 128)
    writer.byte(Self.codecVersion)
    writer.blob(token.bytes)
    writer.byte(environment == .production ? 1 : 0)
    writer.text(bundleID.description)
    writer.fixed(owner.uuid.high)
    writer.fixed(owner.uuid.low)
    writer.signed(retiredAt.milliseconds)
    writer.signed(forgottenAt.milliseconds)
    return writer.bytes
  }

  static func decode(_ reader: inout ByteReader) throws(ByteReader.Damage) -> RetiredToken {
    guard try reader.byte() == codecVersion else { throw reader.damage("a retired token of version \(codecVersion)") }
    guard let token = DeviceToken(bytes: try reader.blob()) else { throw reader.damage("a device token") }
    let environment: GatewayEnvironment = try reader.flag() ? .production : .development
    guard let bundleID = BundleID(try reader.text()) else { throw reader.damage("a bundle ID") }
    return RetiredToken(
      token: token, environment: environment, bundleID: bundleID,
      owner: DeviceID(CanonicalUUID(high: try reader.fixed(), low: try reader.fixed())),
      retiredAt: UnixTime(milliseconds: try reader.signed()),
      forgottenAt: LedgerTime(milliseconds: try reader.signed()))
  }
}
