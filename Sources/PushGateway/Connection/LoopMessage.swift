import TokenStore

/// Everything that other threads may say to a loop.
enum LoopMessage: Sendable {
  case journal(JournalReply)
  /// Something to be done or asked on the loop, by the admin threads and the gateway's owner.
  case perform(@Sendable (LoopWorker) -> Void)
}
