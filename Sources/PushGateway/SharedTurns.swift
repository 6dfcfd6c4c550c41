import GatewayIO

/// The end of a turn where ledger and connections share the only loop.
final class SharedTurns: TurnObserver {
  private static let rounds = 8

  private let ledger: LedgerWorker
  private let connections: LoopWorker

  init(_ ledger: LedgerWorker, _ connections: LoopWorker) {
    self.ledger = ledger
    self.connections = connections
  }

  func turnEnded(isQuiet: Bool) -> Bool {
    var hasMore = ledger.lookAfterLedger()
    let isHeld = ledger.holdsBatch(isQuiet: isQuiet)
    if isHeld { connections.flushTouched() }
    for _ in 0..<(isHeld ? 0 : Self.rounds) {
      ledger.submit()
      connections.flushTouched()
      // A flushed stream may take its next event at once.
      if ledger.isSettled { break }
      hasMore = hasMore || ledger.hasDeliveries
    }
    connections.endIfDrained()
    ledger.endTurn(hasMore: hasMore)
    return isHeld
  }
}
