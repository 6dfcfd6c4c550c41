import BudgetThrottle
import TokenStore

/// What devices are told about themselves. Reading changes nothing but what a change of rules left undone.
extension Ledger {
  package func answer(for registration: RegistrationState, at clock: LedgerClockReading) -> RegistrationAnswer {
    refreshPolicies(of: registration, at: clock.now)
    let entries = zip(registration.widgets, registration.accounts).map { widget, account in
      let policy = policy(account.policy)
      guard policy.mode != .off else { return RegistrationAnswer.Entry(widget: widget, budget: nil) }
      return RegistrationAnswer.Entry(
        widget: widget,
        budget: RegistrationAnswer.Budget(
          limit: policy.refreshesPerDay, remaining: account.cell.remaining(at: clock.now, under: policy),
          next: account.cell.nextToken(at: clock.now, under: policy).map { clock.wallTime(of: $0) }))
    }
    return RegistrationAnswer(token: registration.token, topic: registration.app.topic, widgets: entries)
  }

  package func stateAnswer(for device: DeviceState, at clock: LedgerClockReading) -> DeviceStateAnswer {
    let subject = DeveloperModeSubject.device(device.id)
    let grant = developerMode.standing(at: clock.now).first { $0.subject == subject }
    return DeviceStateAnswer(
      foreground: device.foreground, session: device.session, asleep: device.isAsleep,
      developerModeUntil: grant.map { clock.wallTime(of: $0.until) })
  }

  /// - Parameter last: how many decisions at most.
  /// - Returns: nil for a device that has had no push lately, as most: it needs no search.
  package func search(for device: DeviceState, last: Int) -> ExplanationSearch? {
    guard device.registrations.contains(where: \.isInTrail) else { return nil }
    return ExplanationSearch(registrations: Set(device.registrations.map(\.id)), last: last)
  }

  /// Goes on with a search; see ``ExplanationSearch/advance(in:next:entries:)``.
  package func advance(_ search: inout ExplanationSearch, entries: inout Int) -> [TrailSearch.Told]? {
    search.advance(in: trail, next: batch.sequence, entries: &entries)
  }

  /// - Parameter told: what a search has found, newest first.
  package func explanation(
    _ told: [TrailSearch.Told], for device: DeviceState, at clock: LedgerClockReading
  ) -> ExplanationAnswer {
    let registrations = Dictionary(device.registrations.map { ($0.id, $0) }) { first, _ in first }
    return ExplanationAnswer(
      decisions: told.compactMap { told in
        let face = told.face ?? registrations[told.decision.registration].map { FormerFace($0) }
        return face.map { DeviceDecision(told.decision, of: $0, clock: clock) }
      })
  }
}
