import BudgetThrottle
import TokenStore

/// The stored row of a device.
extension DeviceState {
  private static let codecVersion: UInt8 = 2

  func encodeRow(into writer: ByteWriter) {
    writer.byte(Self.codecVersion)
    writer.fixed(id.uuid.high)
    writer.fixed(id.uuid.low)
    writer.blob(keyHash)
    writer.text(platform.rawValue)
    writer.text(os)
    writer.fixed(scope.keyFingerprint)
    writer.number(UInt64(scope.bundleIDs.count))
    for pattern in scope.bundleIDs { writer.text(pattern.description) }
    writer.number(UInt64(scope.environments.count))
    for environment in scope.environments { writer.text(environment.rawValue) }
    writer.optional(lastSeen) { $0.signed($1.milliseconds) }
  }

  /// - Parameters:
  ///   - models: those that were met lately.
  ///   - intern: the model that all devices share which have an equal one.
  static func decodeRow(
    number: UInt64, _ reader: inout ByteReader, sharing models: SharedValues<DeviceModel>,
    intern: (DeviceModel) -> DeviceModel
  ) throws(ByteReader.Damage) -> DeviceState {
    let version = try reader.byte()
    guard (1...codecVersion).contains(version) else { throw reader.damage("a device of version 1 or \(codecVersion)") }
    let id = DeviceID(CanonicalUUID(high: try reader.fixed(), low: try reader.fixed()))
    let keyHash = try reader.borrowedBlob(atMost: 32)
    guard keyHash.count == 32 else { throw reader.damage("32 bytes of SHA-256") }
    let start = reader.position
    try skipModel(&reader)
    let model = try models.value(of: reader.borrowed(since: start)) { () throws(ByteReader.Damage) in
      var again = reader.back(at: start)
      return intern(try decodeModel(&again))
    }
    let device = DeviceState(number: number, id: id, keyHash: digest(keyHash), model: model)
    if version > 1 {
      device.lastSeen = try reader.optional { (reader) throws(ByteReader.Damage) in
        LedgerTime(milliseconds: try reader.signed())
      }
    }
    return device
  }

  private static func skipModel(_ reader: inout ByteReader) throws(ByteReader.Damage) {
    _ = try reader.borrowedText()
    _ = try reader.borrowedText()
    _ = try reader.fixed()
    for _ in 0..<(try reader.count(atMost: DeviceScope.maximumPatterns)) { _ = try reader.borrowedText() }
    for _ in 0..<(try reader.count(atMost: 8)) { _ = try reader.borrowedText() }
  }

  private static func decodeModel(_ reader: inout ByteReader) throws(ByteReader.Damage) -> DeviceModel {
    guard let platform = Platform(rawValue: try reader.text()) else { throw reader.damage("a platform") }
    let os = try reader.text()
    let fingerprint = try reader.fixed()
    var patterns: [BundlePattern] = []
    for _ in 0..<(try reader.count(atMost: DeviceScope.maximumPatterns)) {
      guard let pattern = BundlePattern(try reader.text()) else { throw reader.damage("a bundle ID pattern") }
      patterns.append(pattern)
    }
    var environments: [GatewayEnvironment] = []
    for _ in 0..<(try reader.count(atMost: 8)) {
      guard let environment = GatewayEnvironment(rawValue: try reader.text()) else {
        throw reader.damage("an environment")
      }
      environments.append(environment)
    }
    return DeviceModel(
      platform: platform, os: os,
      scope: DeviceScope(keyFingerprint: fingerprint, bundleIDs: patterns, environments: environments))
  }
}
