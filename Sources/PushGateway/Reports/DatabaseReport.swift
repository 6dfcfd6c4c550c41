/// What a database holds, and whether it is whole; `gatewayd check --database`.
public struct DatabaseReport: Codable, Sendable, Equatable {
  public var path: String
  public var bytes: Int
  /// Its schema, and the one that this gatewayd writes.
  public var schema: Int
  public var newestSchema: Int
  /// What is wrong with it; empty when it is whole.
  public var findings: [String]
  /// Rows that explain something and cannot be read; no reason to restore.
  public var damagedExplanations: Int
  /// Of the last start.
  public var epoch: Int
  /// Of the last commit; nil in a store that has none.
  public var lastCommit: ReportTime?
  public var devices: Int
  public var registrations: Int
  public var retiredTokens: Int
  public var developerModeGrants: Int
  public var fanOuts: Int
  /// Committed and not yet in the rows.
  public var journalEntries: Int
  public var journalBytes: Int

  public var isWhole: Bool { findings.isEmpty }

  public init(
    path: String, bytes: Int, schema: Int, newestSchema: Int, findings: [String], damagedExplanations: Int, epoch: Int,
    lastCommit: ReportTime?, devices: Int, registrations: Int, retiredTokens: Int, developerModeGrants: Int,
    fanOuts: Int, journalEntries: Int, journalBytes: Int
  ) {
    self.path = path
    self.bytes = bytes
    self.schema = schema
    self.newestSchema = newestSchema
    self.findings = findings
    self.damagedExplanations = damagedExplanations
    self.epoch = epoch
    self.lastCommit = lastCommit
    self.devices = devices
    self.registrations = registrations
    self.retiredTokens = retiredTokens
    self.developerModeGrants = developerModeGrants
    self.fanOuts = fanOuts
    self.journalEntries = journalEntries
    self.journalBytes = journalBytes
  }
}
