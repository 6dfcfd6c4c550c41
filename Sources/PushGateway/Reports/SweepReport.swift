/// What a sweep has removed, or would remove.
public struct SweepReport: Codable, Sendable, Equatable {
  public var dryRun: Bool
  /// Looked at.
  public var registrations: Int
  /// Of them those whose device was silent for so long.
  public var stale: Int
  /// Devices that left with them.
  public var devices: Int

  public init(dryRun: Bool, registrations: Int, stale: Int, devices: Int) {
    self.dryRun = dryRun
    self.registrations = registrations
    self.stale = stale
    self.devices = devices
  }
}
