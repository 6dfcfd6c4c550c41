import GatewayIO

/// Everything that other threads may say to a loop.
enum LoopMessage: Sendable {
  /// From the ledger.
  case output(LoopOutput)
  /// A connection that another loop has accepted, and counted as this one's. Whoever takes the message owns the
  /// descriptor.
  case connection(Int32, PeerAddress, door: Int)
  /// Something to be done or asked, by the admin threads, the gateway's owner and other loops.
  case perform(@Sendable (LoopWorker) -> Void)
}
