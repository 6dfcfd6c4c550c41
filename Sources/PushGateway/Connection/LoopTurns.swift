import GatewayIO

/// The end of a turn of a loop whose ledger is on another thread.
final class LoopTurns: TurnObserver {
  private let worker: LoopWorker

  init(_ worker: LoopWorker) { self.worker = worker }

  func turnEnded(isQuiet: Bool) -> Bool {
    worker.flushTouched()
    worker.endIfDrained()
    worker.ledger.flush()
    return false
  }
}
