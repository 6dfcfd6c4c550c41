import BudgetThrottle
import GatewayCore
import TokenStore

/// What providers are told.
extension Simulation {
  func checkVerdict(
    _ verdict: PushVerdict, of push: IncomingPush, to id: UInt64, _ account: Book.Account
  ) throws {
    let isKnown = account.accepted.contains(push.id)
    switch verdict {
    case .denied(.flood(let wait)):
      try hold(
        plain.rules.pushesPerTokenPerMinute > 0 && (1...60).contains(wait), .answer, "the flood limit says wait \(wait)"
      )
      return count("flood")
    case .denied(.overBudget(let exhaustion)):
      try checkExhaustion(exhaustion, of: id, account)
      count("over budget")
    case .duplicate(let number):
      try hold(isKnown, .retry, "push \(push.id) is not known, and was taken for one that is")
      try hold(number == ledger.nextNumber - 1, .answer, "a push that was known has no number of its own")
      count("duplicate")
    case .accepted(_, let number):
      try hold(!isKnown, .retry, "push \(push.id) is known, and was taken")
      try hold(number == ledger.nextNumber - 1, .answer, "a push that was taken has an old number")
      if plain.rules.budget.overBudget == .reject { count("accepted with reject on") }
      count("accepted")
    default: throw finding(.token, "a registered token was answered \(verdict)")
    }
  }

  private func checkExhaustion(
    _ exhaustion: PushVerdict.Exhaustion, of id: UInt64, _ account: Book.Account
  ) throws {
    let states = try registration(id).states
    try hold(
      plain.rules.budget.overBudget == .reject && !states.isEmpty && exhaustion.retryAfter >= 1, .answer,
      "refused for budget with retry-after \(exhaustion.retryAfter)")
    var isTold = false
    for (state, widget) in zip(states, account.widgets) {
      let policy = policy(of: widget, in: account)
      let admission = state.cell.admission(at: now, under: policy).at
      try hold(
        toll(of: widget, in: account) == .charged && admission > now, .answer,
        "refused for budget, and a \(widget.kind) has some")
      let next = state.cell.nextToken(at: now, under: policy)?.milliseconds(since: now) ?? 0
      isTold =
        isTold
        || exhaustion.limit == policy.refreshesPerDay
          && exhaustion.remaining == state.cell.remaining(at: now, under: policy)
          && Int64(exhaustion.reset) == max(1, (next + 999) / 1000)
    }
    try hold(
      isTold, .answer,
      "limit \(exhaustion.limit), remaining \(exhaustion.remaining), reset \(exhaustion.reset) are no widget's")
  }

  func checkPush(_ effect: Effect, _ handedOver: HandedOver, since before: Snapshot) throws {
    guard let (id, push, verdict) = effect.pushed, case .accepted(let tally, let number) = verdict,
      let old = before.registrations[id], let account = book.accounts[id]
    else { return }
    let isKept = isKept(push)
    var told = PushVerdict.Tally()
    var returns = LedgerTime.distantFuture
    var isOverBudget = plain.rules.budget.overBudget == .reject && !account.widgets.isEmpty
    for (place, state) in try registration(id).states.enumerated() {
      let widget = account.widgets[place]
      let policy = policy(of: widget, in: account)
      let isCharged = toll(of: widget, in: account) == .charged
      let before = old.states[place]
      if before.policy != state.policy || !isCharged
        || before.cell.admission(at: now, under: policy).at <= now
      {
        isOverBudget = false
      }
      if handedOver[id]?[place] == number {
        told.sent += 1
      } else if state.mark?.number == number {
        told.deferred += 1
        try hold(isKept, .mark, "a push of one try was kept")
        guard isCharged else { continue }
        let admission = state.cell.admission(at: now, under: policy).at
        if admission > now { returns = min(returns, admission) }
      } else {
        told.dropped += 1
        try hold(!isKept, .mark, "a push that was to be kept marked nothing")
        try hold(state.lastNumber == number, .mark, "a widget has not seen push \(number)")
        let isDead = before.mark.map { $0.expires <= now } ?? true
        try hold(
          state.mark == before.mark || isDead || handedOver[id]?[place] != nil, .mark,
          "a push of one try took away an older mark")
      }
    }
    if returns != .distantFuture { told.retry = Int((returns.milliseconds(since: now) + 999) / 1000) }
    try hold(tally == told, .answer, "the answer says \(tally), and what happened is \(told)")
    try hold(!isOverBudget, .answer, "a push whose every widget lacks budget was taken")
    if told.deferred > 0 { count("deferred") }
    if told.dropped > 0 { count("dropped") }
  }
}
