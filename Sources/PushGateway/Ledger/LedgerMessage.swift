import TokenStore

/// Everything that other threads may say to the ledger.
enum LedgerMessage: Sendable {
  case journal(JournalReply)
  /// All that one turn of a loop has brought.
  case calls([LedgerCall])
  /// A loop has let its last connection go.
  case loopEnded
  /// Something to be done or asked, by the admin threads and the gateway's owner.
  case perform(@Sendable (LedgerWorker) -> Void)
}
