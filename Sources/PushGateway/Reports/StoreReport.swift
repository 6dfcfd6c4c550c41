/// How durability is doing.
public struct StoreReport: Codable, Sendable, Equatable {
  /// Begins anew with each start or restore; the first part of event ids.
  public var epoch: UInt32
  /// Committed and not yet trimmed by the checkpoint.
  public var journalEntries: Int
  public var journalBytes: Int
  /// Waiting for their commit.
  public var pendingEntries: Int
  /// The cause, while commits fail.
  public var failing: String?

  public init(epoch: UInt32, journalEntries: Int, journalBytes: Int, pendingEntries: Int, failing: String? = nil) {
    self.epoch = epoch
    self.journalEntries = journalEntries
    self.journalBytes = journalBytes
    self.pendingEntries = pendingEntries
    self.failing = failing
  }
}
