import BudgetThrottle
import GatewayCore
import TokenStore

/// What became of fan-outs' widgets, seen from the widgets.
extension Simulation {
  /// The widget left with its mark.
  func noteRemoved(_ old: WidgetState) {
    if let mark = old.mark { note(mark.number) { $0.removed += 1 } }
  }

  func noteFate(
    _ old: WidgetState, _ new: WidgetState, _ fresh: UInt64?, _ id: UInt64, place: Int, _ account: Book.Account,
    _ effect: Effect
  ) throws {
    if let flight = old.inFlight, isConfirmed(flight, of: account, effect) { note(flight.number) { $0.received += 1 } }
    if let fresh { note(fresh) { $0.sent += 1 } }
    if let mark = old.mark, mark.number != fresh, mark.number != new.mark?.number {
      let isDead = mark.expires <= now
      note(mark.number) { if isDead { $0.expired += 1 } else { $0.superseded += 1 } }
    }
    guard let slice = effect.slice, let marked = slice.marked[id], marked.contains(place) else { return }
    try hold(
      old.lastNumber < slice.number && new.lastNumber == slice.number, .fanOut,
      "widget \(place) of registration \(id) had seen push \(old.lastNumber), and fan-out \(slice.number) left it at "
        + "\(new.lastNumber)")
    guard fresh != slice.number, new.mark?.number != slice.number else { return }
    try hold(!isKept(slice.push), .fanOut, "a fan-out that was to be kept marked nothing")
    note(slice.number) { $0.dropped += 1 }
  }

  private func note(_ number: UInt64, _ change: (inout FanOutCounts) -> Void) {
    for (id, fanOut) in book.fanOuts where fanOut.number == number {
      var counts = fanOut.counts
      change(&counts)
      book.fanOuts[id]?.counts = counts
    }
  }

  func checkFanOuts() throws {
    let all = ledger.fanOuts.all
    try hold(all.count == book.fanOuts.count, .fanOut, "\(all.count) of \(book.fanOuts.count) fan-outs are remembered")
    guard !all.isEmpty else { return }
    var waiting: [UInt64: Int] = [:]
    for registration in ledger.registrations {
      for state in registration.states {
        if let mark = state.mark { waiting[mark.number, default: 0] += 1 }
      }
    }
    for fanOut in all {
      guard let plan = book.fanOuts[fanOut.id] else { throw finding(.fanOut, "nobody began \(fanOut.id.low)") }
      let counts = fanOut.counts
      try hold(
        counts == plan.counts && fanOut.state == plan.state, .fanOut,
        "fan-out \(fanOut.id.low) is \(fanOut.state) and says \(counts); it is \(plan.state), and what happened is "
          + "\(plan.counts)")
      try hold(
        counts.deferred == waiting[fanOut.number] ?? 0, .fanOut,
        "fan-out \(fanOut.id.low) says that \(counts.deferred) widgets wait, and \(waiting[fanOut.number] ?? 0) do")
      try hold(
        counts.matched == counts.marked + counts.skipped && counts.received <= counts.sent, .fanOut,
        "fan-out \(fanOut.id.low) does not add up: \(counts)")
      try hold(
        plan.state != .running || fanOut.passed == plan.passed, .fanOut,
        "fan-out \(fanOut.id.low) stands at \(fanOut.passed) and not \(plan.passed)")
      reach(counts)
    }
  }

  private func reach(_ counts: FanOutCounts) {
    for (name, number) in [
      ("fan-out skipped", counts.skipped), ("fan-out sent", counts.sent), ("fan-out received", counts.received),
      ("fan-out deferred", counts.deferred), ("fan-out dropped", counts.dropped),
      ("fan-out superseded", counts.superseded), ("fan-out expired", counts.expired),
      ("fan-out removed", counts.removed),
    ] where number > 0 { count(name) }
  }
}
