import GatewayCore
import GatewayIO
import TokenStore
import TokenStoreSQLite

/// The way to the store and back: what a turn has decided goes there as one batch, and what waited for it leaves.
extension LedgerWorker {
  func submit() {
    ledger.moveDeliveries(to: &commits.current.deliveries)
    if let batch = ledger.takeBatch(clock: clock.stored(loop.now)) {
      commits.appended(batch, at: loop.now.bootNanoseconds, after: submittedNumber)
      submittedNumber = ledger.newestNumber
      store.append(batch)
    } else if let output = commits.nothingToCommit() {
      release(output)
    }
  }

  /// What was decided and had no commit to go along with.
  func leaveTrail() {
    if let batch = ledger.takeBatch(clock: clock.stored(loop.now), isLast: true) { store.append(batch) }
  }

  func heard(_ reply: JournalReply) {
    switch reply {
    case .durable(let sequence):
      if storeFailure != nil { log.info("the store takes commits again") }
      storeFailure = nil
      while let durable = commits.nextDurable(upTo: sequence) {
        counters.batchesDurable += 1
        counters.commitLatency.observe(Double(loop.now.bootNanoseconds - durable.appendedAt) / 1_000_000_000)
        let (isTimed, delay) = (
          !durable.output.deliveries.isEmpty, LoopClock.readBootNanoseconds() - durable.appendedAt
        )
        if isTimed { observeEvents(of: durable.output, after: durable.newestBefore, delay: delay) }
        release(durable.output)
      }
    case .failing(_, let cause):
      counters.commitFailures += 1
      if storeFailure == nil {
        log.error("the store cannot commit; pushes are answered 503 until it can", (.cause, cause))
      }
      storeFailure = cause
      denyReads()
    case .damaged(let cause):
      counters.commitFailures += 1
      log.error(
        "the database is damaged: nothing more is accepted, and nothing is tried again; stop, restore a backup, start",
        (.cause, cause))
      storeFailure = cause
      denyReads()
    }
  }

  private func denyReads() {
    for answer in commits.takeReads() { loops.tell(.answerDenied(answer)) }
  }

  /// Only of pushes that came with this very batch: what waited for a budget or a device was not late.
  private func observeEvents(of output: PendingOutput, after number: UInt64, delay: Int64) {
    for case .refresh(let refresh) in output.deliveries where refresh.push.number > number {
      counters.eventLatency.observe(Double(delay) / 1_000_000_000)
    }
  }

  private func release(_ output: PendingOutput) {
    if !output.pushes.isEmpty { loops.confirm(output.pushes) }
    for answer in output.answers { loops.confirm(answer) }
    for delivery in output.deliveries { deliver(delivery) }
    for notice in output.notices { notice() }
    commits.recycle(output)
  }
}
