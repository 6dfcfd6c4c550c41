package import BudgetThrottle
import TokenStore

extension Ledger {
  /// Looks at the registrations whose time has come, at most `limit` of them in one turn: a million budgets that return
  /// at one instant must not hold up the pushes that come meanwhile.
  /// - Returns: whether more are due.
  package func wake(at now: LedgerTime, limit: Int = 1024) -> Bool {
    for _ in 0..<limit {
      guard let registration = deadlines.popDue(at: now) else { return false }
      counts.registrationsWoken += 1
      handOver(registration, at: now)
    }
    return deadlines.next.map { $0 <= now } ?? false
  }

  /// When ``wake(at:limit:)`` wants to be called next.
  package var nextWake: LedgerTime? { deadlines.next }

  /// The device's stream has taken all that it was given.
  package func outputEmptied(_ session: SessionID, of device: DeviceState, at now: LedgerTime) {
    guard device.link == .attached(session, isWritable: false) else { return }
    device.link = .attached(session, isWritable: true)
    handOverAll(of: device, at: now)
  }

  /// Something else than a refresh waits on the device's stream now: nothing is handed over until that was taken.
  /// - Returns: false when an earlier hand-over has yet to be taken anyway.
  package func outputFilled(_ session: SessionID, of device: DeviceState) -> Bool {
    guard device.link == .attached(session, isWritable: true) else { return false }
    device.link = .attached(session, isWritable: false)
    return true
  }

  /// Hands over what is due of all apps of one device. It all goes out together: at one instant that is at most one
  /// hand-over a widget.
  func handOverAll(of device: DeviceState, at now: LedgerTime) {
    guard let session = device.writableSession else { return }
    for registration in device.registrations {
      refreshPolicies(of: registration, at: now)
      handOverDue(registration, to: session, given: conditions(of: registration, at: now), at: now)
    }
  }

  /// Hands over what is due of one app, if its device can take it. If it cannot, the stream's next
  /// ``outputEmptied(_:of:at:)`` or the next stream looks again.
  func handOver(_ registration: RegistrationState, at now: LedgerTime) {
    guard let session = registration.device.writableSession else { return }
    refreshPolicies(of: registration, at: now)
    handOverDue(registration, to: session, given: conditions(of: registration, at: now), at: now)
  }

  /// Decides about every marked widget of a registration whose device can take more; hands over, buries dead marks,
  /// and notes when to look again.
  /// - Parameter once: widgets whose push has this one try: they go now, whatever their mark says.
  /// - Returns: the widgets handed over.
  @discardableResult
  func handOverDue(
    _ registration: RegistrationState, to session: SessionID, given conditions: DeliveryConditions,
    once: WidgetSet = WidgetSet(), at now: LedgerTime
  ) -> WidgetSet {
    var byToll = InlineArray<5, WidgetSet>(repeating: WidgetSet())
    var due = WidgetSet()
    var expired = WidgetSet()
    var wake = LedgerTime.distantFuture
    let accounts = registration.accounts
    registration.forEachMark { mark, widgets in
      for position in widgets {
        let account = accounts[position]
        let policy = policy(account.policy)
        let decision =
          once.contains(position)
          ? .handOver(conditions.toll(under: policy))
          : mark.decide(with: account.cell, at: now, under: policy, given: conditions)
        switch decision {
        case .none: break
        case .expire: expired.insert(position)
        case .wait(let until, _): wake = min(wake, until, mark.expires)
        case .handOver(let toll):
          due.insert(position)
          byToll[Int(toll.rawValue)].insert(position)
        }
      }
    }
    if !expired.isEmpty { bury(expired, of: registration, at: now) }
    if wake < .distantFuture { deadlines.schedule(registration, at: wake) }
    guard !due.isEmpty else { return due }
    // One event speaks of one push: widgets that different pushes marked travel apart.
    var rest = due
    while let first = rest.first, let number = registration.standing.mark(of: first)?.number,
      let content = registration.content(of: number)
    {
      var group = WidgetSet()
      registration.forEachMark { mark, widgets in
        if mark.number == number { group = group.union(widgets.intersection(rest)) }
      }
      rest = rest.subtracting(group)
      emit(group, content, of: registration, to: session, byToll: byToll, at: now)
    }
    registration.device.link = .attached(session, isWritable: false)
    return due
  }

  private func emit(
    _ group: WidgetSet, _ content: PushContent, of registration: RegistrationState, to session: SessionID,
    byToll: InlineArray<5, WidgetSet>, at now: LedgerTime
  ) {
    let id = EventID(epoch: epoch, sequence: nextSequence)
    nextSequence += 1
    var charged = WidgetSet()
    for toll in RefreshDecision.Toll.allCases {
      let share = byToll[Int(toll.rawValue)].intersection(group)
      guard !share.isEmpty else { continue }
      if toll.takesToken { charged = charged.union(share) }
      counts.handOvers[Int(toll.rawValue)] += UInt64(share.count)
      let grant = toll == .bypassed ? noteBypass(of: share.count, registration, at: now) : nil
      record(.handedOver(toll, id, grant: grant), content, share, of: registration, at: now)
    }
    let levels = charged.map { position in
      var account = registration.accounts[position]
      account.cell.charge(at: now, under: policy(account.policy))
      return account.cell.level
    }
    commit(
      .handedOver(
        LedgerRecord.HandOverRecord(
          epoch: id.epoch, sequence: id.sequence, widgets: group, charged: charged, levels: levels, at: now)),
      to: registration)
    counts.eventsSent += 1
    if !fanOuts.isEmpty { fanOuts.note(group.count, as: .sent, of: content.number) }
    deliver(content, group, id, of: registration, to: session)
  }

  /// - Returns: where the audit says who granted it, and why.
  private func noteBypass(of count: Int, _ registration: RegistrationState, at now: LedgerTime) -> Int? {
    guard
      let acting = developerMode.acting(app: registration.app.bundleID, device: registration.device.id, at: now)
    else { return nil }
    bypasses[acting.grant, default: 0] += count
    return acting.audit
  }

  /// What developer mode has let through since the last call, for the log.
  package func takeBypasses() -> [DeveloperMode.Grant: Int] {
    defer { bypasses.removeAll() }
    return bypasses
  }

  func deliver(
    _ content: PushContent, _ group: WidgetSet, _ id: EventID, of registration: RegistrationState,
    to session: SessionID
  ) {
    pendingDeliveries.append(
      .refresh(
        Delivery.Refresh(
          session: session, id: id, push: content, app: registration.app, widgets: registration.widgets,
          included: group)))
  }

  /// Marks whose time is over.
  func bury(_ expired: WidgetSet, of registration: RegistrationState, at now: LedgerTime) {
    counts.widgetsExpired += UInt64(expired.count)
    for push in registration.standing {
      guard case .marks(let mark) = push.role else { continue }
      let group = push.widgets.intersection(expired)
      guard !group.isEmpty else { continue }
      fanOuts.note(group.count, as: .expired, of: mark.number)
      record(.expired, push.content, group, of: registration, at: now)
    }
    commit(.cleared(marks: expired, inFlight: WidgetSet()), to: registration)
  }
}
