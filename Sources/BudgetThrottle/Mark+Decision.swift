extension Mark {
  /// What to do about the widget that this marks. Pure: asking changes nothing.
  package func decide(
    with cell: BudgetCell, at now: LedgerTime, under policy: BudgetPolicy, given conditions: DeliveryConditions
  ) -> RefreshDecision {
    guard expires > now else { return .expire }
    if priority == .power, conditions.isAsleep { return .wait(until: .distantFuture, cause: .asleep) }
    var gate: (at: LedgerTime, cause: RefreshDecision.Cause) = (now, .lowPriority)
    if priority < .immediate {
      gate.at = max(now, first.advanced(byMilliseconds: conditions.lowPriorityWindow))
    }
    let toll = conditions.toll(under: policy)
    if toll == .charged {
      let admission = cell.admission(at: now, under: policy)
      if admission.at > gate.at { gate = (admission.at, admission.isSpacing ? .minimumInterval : .budget) }
    }
    return gate.at > now ? .wait(until: gate.at, cause: gate.cause) : .handOver(toll)
  }
}

extension DeliveryConditions {
  /// How a hand-over would be paid for now.
  package func toll(under policy: BudgetPolicy) -> RefreshDecision.Toll {
    if isExempt { return .exempt }
    if isBypassed { return .bypassed }
    switch policy.mode {
    case .enforce: return .charged
    case .shadow: return .counted
    case .off: return .uncounted
    }
  }
}

extension BudgetCell {
  /// When this budget, and nothing else, admits a hand-over; nil if it does now.
  package func returns(
    at now: LedgerTime, under policy: BudgetPolicy, given conditions: DeliveryConditions
  ) -> LedgerTime? {
    guard conditions.toll(under: policy) == .charged else { return nil }
    let admission = admission(at: now, under: policy)
    return admission.at > now ? admission.at : nil
  }
}
