import BudgetThrottle
import TokenStore

extension Ledger {
  /// What became of one line.
  package enum ImportOutcome: Equatable, Sendable {
    case added(isNewDevice: Bool)
    /// The gateway has exactly this already.
    case unchanged
    /// The gateway has something else, which is newer than any file, and stays.
    case kept(ImportRefusal)
  }

  /// Takes over one registration, whole or not at all. It only ever adds: what the gateway has is what a device said
  /// itself, and stays. So the same file can be imported again, also after a part of it was.
  /// - Parameter isDryRun: judges, and changes nothing.
  package func take(
    _ line: RegistrationLine, isDryRun: Bool, at reading: LedgerClockReading
  ) throws(ImportRefusal) -> ImportOutcome {
    let known = devices[line.device]
    if let known {
      guard known.platform == line.platform, known.os == line.os.description else {
        throw ImportRefusal(
          "other-device", "the gateway has device \(line.device) with \(known.platform.rawValue) \(known.os)")
      }
      guard known.keyHash == line.keyHash else {
        return .kept(
          ImportRefusal("other-key", "device \(line.device) has another key here: it changed it after the export"))
      }
      if let outcome = compare(line, with: known) { return outcome }
    }
    let change = RegistrationChange(
      bundleID: line.app, environment: line.environment, token: line.token, freshToken: line.token,
      widgets: line.widgets)
    do throws(RegistrationRefusal) {
      // Asked before anything is done: a device must not be there without the registration that brought it.
      guard isFree(line.token, in: line.environment, for: line.device, app: line.app, at: reading.now) else {
        throw .tokenInUse
      }
      if let known, known.registrations.count >= Self.maximumAppsPerDevice {
        throw .tooManyApps(limit: Self.maximumAppsPerDevice)
      }
      guard !isDryRun else { return .added(isNewDevice: known == nil) }
      let device =
        known
        ?? enrol(
          id: line.device, keyHash: line.keyHash, platform: line.platform, os: line.os.description, scope: line.scope,
          at: min(
            reading.now,
            line.lastSeen.map { LedgerClock.ledger($0, at: reading.now, wall: reading.wall) } ?? reading.now))
      _ = try register(change, for: device, at: reading.now, wall: reading.wall)
    } catch {
      throw ImportRefusal(DeviceRefusal(registering: error))
    }
    return .added(isNewDevice: known == nil)
  }

  /// nil: the device does not have the app, and never had it as far as is remembered.
  private func compare(_ line: RegistrationLine, with device: DeviceState) -> ImportOutcome? {
    guard let existing = device.registrations.first(where: { $0.app.bundleID == line.app }) else { return nil }
    guard existing.isActive else {
      return .kept(
        ImportRefusal("removed-since", "\(line.app) was removed from device \(line.device) after the export"))
    }
    var differing: [String] = []
    if existing.environment != line.environment { differing.append("environment") }
    if existing.token != line.token { differing.append("token") }
    if existing.widgets != line.widgets { differing.append("widgets") }
    guard !differing.isEmpty else { return .unchanged }
    return .kept(
      ImportRefusal(
        "differs",
        "\(line.app) on device \(line.device) has other \(differing.joined(separator: " and ")) here, which stays"))
  }
}
