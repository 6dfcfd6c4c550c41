import GatewayIO

/// The end of a turn of a loop whose ledger is on another thread.
final class LoopTurns: TurnObserver {
  private static let rounds = 8

  private let worker: LoopWorker

  init(_ worker: LoopWorker) { self.worker = worker }

  func turnEnded() {
    // A flush may read on, and what it reads may be answered at once.
    for _ in 0..<Self.rounds where worker.hasTouched { worker.flushTouched() }
    worker.endIfDrained()
    worker.ledger.flush()
  }
}
