/// All that the ledger remembers of one widget. Constant in size, whatever the rate of pushes.
package struct WidgetState: Hashable, Sendable {
  package var cell: BudgetCell
  /// The newest push that this widget has seen, also one that was dropped.
  package var lastNumber: UInt64
  package var mark: Mark?
  /// Index of the widget's policy in the ledger's table; not stored, looked up anew at every start.
  package var policy: UInt32
  package var inFlight: InFlight?

  package init(cell: BudgetCell, policy: UInt32) {
    self.cell = cell
    self.policy = policy
    lastNumber = 0
  }

  /// Pure: asking changes nothing.
  package func decide(
    at now: LedgerTime, under policy: BudgetPolicy, given conditions: DeliveryConditions
  ) -> RefreshDecision {
    guard let mark else { return .none }
    guard mark.expires > now else { return .expire }
    if mark.priority == .power, conditions.isAsleep { return .wait(until: .distantFuture, cause: .asleep) }
    var gate: (at: LedgerTime, cause: RefreshDecision.Cause) = (now, .lowPriority)
    if mark.priority < .immediate {
      gate.at = max(now, mark.first.advanced(byMilliseconds: conditions.lowPriorityWindow))
    }
    let toll = toll(under: policy, given: conditions)
    if toll == .charged {
      let admission = cell.admission(at: now, under: policy)
      if admission.at > gate.at { gate = (admission.at, admission.isSpacing ? .minimumInterval : .budget) }
    }
    return gate.at > now ? .wait(until: gate.at, cause: gate.cause) : .handOver(toll)
  }

  /// How a hand-over would be paid for now.
  package func toll(under policy: BudgetPolicy, given conditions: DeliveryConditions) -> RefreshDecision.Toll {
    if conditions.isExempt { return .exempt }
    if conditions.isBypassed { return .bypassed }
    switch policy.mode {
    case .enforce: return .charged
    case .shadow: return .counted
    case .off: return .uncounted
    }
  }

  /// When this widget's budget, and nothing else, admits a hand-over; nil if it does now.
  package func budgetReturns(
    at now: LedgerTime, under policy: BudgetPolicy, given conditions: DeliveryConditions
  ) -> LedgerTime? {
    guard toll(under: policy, given: conditions) == .charged else { return nil }
    let admission = cell.admission(at: now, under: policy)
    return admission.at > now ? admission.at : nil
  }

  /// Joins `newer` to the mark. One that has died by the time of the newer push joins nothing, also while nobody has
  /// buried it: neither its priority nor its time speak for the new one.
  package mutating func marked(by newer: Mark) {
    lastNumber = max(lastNumber, newer.number)
    guard let standing = mark, standing.expires > newer.first else {
      mark = newer
      return
    }
    mark = standing.joined(with: newer)
  }

  /// The mark becomes `inFlight`, in place of an older one. As with marks the latest expiration of both holds: a push
  /// of one try must not end the promise of an older refresh that no receipt has confirmed, since a device that lost
  /// the stream has seen neither.
  package mutating func handedOver(epoch: UInt64, sequence: UInt64) {
    guard let moved = mark else { return }
    let promised = inFlight?.expires ?? .distantPast
    inFlight = InFlight(
      epoch: epoch, sequence: sequence, number: moved.number, expires: max(moved.expires, promised))
    mark = nil
  }

  /// - Returns: whether the receipt cleared something. One of another epoch never does.
  @discardableResult
  package mutating func received(epoch: UInt64, upTo sequence: UInt64) -> Bool {
    guard let waiting = inFlight, waiting.epoch == epoch, waiting.sequence <= sequence else { return false }
    inFlight = nil
    return true
  }
}
