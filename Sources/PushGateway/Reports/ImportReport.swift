/// What became of the lines of one import.
public struct ImportReport: Codable, Sendable, Equatable {
  /// One line that was not taken over.
  public struct Note: Codable, Sendable, Equatable {
    /// Counted from 1, blank ones too.
    public var line: Int
    /// Kebab-case, for programs.
    public var error: String
    public var detail: String

    public init(line: Int, error: String, detail: String) {
      self.line = line
      self.error = error
      self.detail = detail
    }
  }

  public var dryRun: Bool
  /// Lines that were read, without blank ones.
  public var lines = 0
  /// Registrations that are new here.
  public var added = 0
  /// Devices that are new here.
  public var devices = 0
  /// Lines that say what the gateway has already.
  public var unchanged = 0
  /// Lines that say something else than the gateway has, which stays.
  public var kept = 0
  /// Lines that are wrong.
  public var refused = 0
  /// Of every line that was kept or refused.
  public var notes: [Note] = []

  public init(dryRun: Bool) { self.dryRun = dryRun }

  /// - Parameter other: of other lines of the same file.
  public mutating func add(_ other: ImportReport) {
    lines += other.lines
    added += other.added
    devices += other.devices
    unchanged += other.unchanged
    kept += other.kept
    refused += other.refused
    notes += other.notes
  }
}
