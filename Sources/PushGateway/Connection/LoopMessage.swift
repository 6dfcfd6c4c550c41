/// Everything that other threads may say to a loop.
enum LoopMessage: Sendable {
  /// From the ledger.
  case output(LoopOutput)
  /// A connection that another loop has accepted, and counted as this one's.
  case newcomer(Newcomer)
  /// The gateway is full: which connection of this loop could go?
  case roomSearch(RoomSearch)
  /// One of this loop's was the oldest idle one of all, and goes for the newcomer.
  case makeRoom(RoomSearch)
  /// Something to be done or asked, by the admin threads, the gateway's owner and other loops.
  case perform(@Sendable (LoopWorker) -> Void)
}
