import GatewayIO

/// The end of a turn of a ledger that has a thread of its own.
final class LedgerTurns: TurnObserver {
  private let worker: LedgerWorker

  init(_ worker: LedgerWorker) { self.worker = worker }

  func turnEnded(isQuiet: Bool) -> Bool {
    let hasMore = worker.lookAfterLedger()
    let isHeld = worker.holdsBatch(isQuiet: isQuiet)
    if !isHeld { worker.submit() }
    worker.endTurn(hasMore: hasMore)
    return isHeld
  }
}
