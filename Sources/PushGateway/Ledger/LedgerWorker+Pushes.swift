import GatewayCore
import TokenStore

/// Pushes, decided.
extension LedgerWorker {
  func accept(_ call: PushCall) {
    guard isStoreReady else { return loops.tell(.pushRefused(call.place, call.push.id, .storeUnavailable, nil)) }
    switch ledger.accept(call.push, for: call.token, in: call.environment, bundleID: call.bundleID, at: now) {
    case .accepted(let tally, let number): succeed(call, tally, number)
    case .duplicate(let number): succeed(call, PushVerdict.Tally(), number)
    case .denied(let denial):
      var exhaustion: PushVerdict.Exhaustion?
      if case .overBudget(let budget) = denial { exhaustion = budget }
      loops.tell(.pushRefused(call.place, call.push.id, denial.refusal(in: call.environment), exhaustion))
    }
  }

  private func succeed(_ call: PushCall, _ tally: PushVerdict.Tally, _ number: UInt64) {
    counters.accepted += 1
    commits.current.pushes.append(
      PendingOutput.PushAnswer(place: call.place, id: call.push.id, number: number, tally: tally))
  }
}
