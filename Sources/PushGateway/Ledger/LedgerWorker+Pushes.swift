import BudgetThrottle
import GatewayCore
import TokenStore

/// Pushes, decided.
extension LedgerWorker {
  func accept(_ call: PushCall) { accept(CollectionOfOne(call).span) }

  func accept(_ calls: [PushCall]) { accept(calls.span) }

  /// What all of them need is looked up once: nothing is submitted meanwhile, and one reading of a connection brings
  /// little beside what the store may have to do.
  private func accept(_ calls: Span<PushCall>) {
    let (isReady, now) = (isStoreReady, now)
    var answers: [PendingOutput.PushAnswer] = []
    swap(&answers, &commits.current.pushes)
    let before = answers.count
    for index in calls.indices { accept(calls[index], ifReady: isReady, at: now, &answers) }
    counters.accepted += UInt64(answers.count - before)
    // Nothing was accepted meanwhile; if it had been, its answers would not be lost.
    answers.append(contentsOf: commits.current.pushes)
    swap(&answers, &commits.current.pushes)
  }

  private func accept(
    _ call: borrowing PushCall, ifReady isReady: Bool, at now: LedgerTime, _ answers: inout [PendingOutput.PushAnswer]
  ) {
    guard isReady else { return loops.tell(.pushRefused(call.place, call.push.id, .storeUnavailable, nil)) }
    switch ledger.accept(call.push, for: call.token, in: call.environment, bundleID: call.bundleID, at: now) {
    case .accepted(let tally, let number):
      answers.append(PendingOutput.PushAnswer(place: call.place, id: call.push.id, number: number, tally: tally))
    case .duplicate(let number):
      answers.append(
        PendingOutput.PushAnswer(place: call.place, id: call.push.id, number: number, tally: PushVerdict.Tally()))
    case .denied(let denial):
      var exhaustion: PushVerdict.Exhaustion?
      if case .overBudget(let budget) = denial { exhaustion = budget }
      loops.tell(.pushRefused(call.place, call.push.id, denial.refusal(in: call.environment), exhaustion))
    }
  }
}
