package import BudgetThrottle
package import TokenStore

extension Ledger {
  /// Judges a push by what only the ledger knows, in the order of design §5 (token known · 410 · token for topic ·
  /// flood · accepted), and marks.
  /// - Parameter bundleID: the bundle ID that the topic names.
  package func accept(
    _ push: IncomingPush, for token: DeviceToken, in environment: GatewayEnvironment,
    bundleID: BundleID, at now: LedgerTime
  ) -> PushVerdict {
    guard let registration = index.find(token, in: environment) else {
      if let old = retired[RetiredToken.Key(token: token, environment: environment)], old.forgottenAt > now {
        return .denied(.unregistered(at: old.retiredAt))
      }
      return .denied(.unknownToken)
    }
    guard registration.app.bundleID == bundleID else { return .denied(.tokenForOtherTopic) }
    if let wait = floodWait(of: registration, at: now) { return .denied(.flood(retryAfter: wait)) }
    if registration.hasSeen(RecentPushes.digest(of: push.id)) {
      counts.pushesDuplicate += 1
      let number = takeNumber()
      record(
        .duplicate, PushContent(number: number, id: push.id, payload: nil), WidgetSet(), of: registration, at: now)
      return .duplicate(number: number)
    }
    let haveChanged = refreshPolicies(of: registration, at: now)
    let conditions = conditions(of: registration, at: now)
    if gist.rejectsOverBudget, let exhaustion = exhaustion(of: registration, given: conditions, at: now) {
      // What waits for the time of another policy would go later than this client is told, and take its token.
      if haveChanged { handOver(registration, at: now) }
      record(
        .rejected(until: now.advanced(byMilliseconds: Int64(exhaustion.retryAfter) * 1000)),
        PushContent(number: 0, id: push.id, payload: nil), WidgetSet(first: registration.accounts.count),
        of: registration, at: now)
      return .denied(.overBudget(exhaustion))
    }
    counts.pushesAccepted += 1
    let number = takeNumber()
    let tally = mark(
      WidgetSet(first: registration.accounts.count), of: registration, with: push, number: number, given: conditions,
      at: now)
    return .accepted(tally, number: number)
  }

  /// Marks `all` of a registration's widgets, hands over what can go at once, and drops what may not wait.
  func mark(
    _ all: WidgetSet, of registration: RegistrationState, with push: IncomingPush, number: UInt64,
    given conditions: DeliveryConditions, at now: LedgerTime
  ) -> PushVerdict.Tally {
    let session = registration.isDeviceAttached ? registration.device.writableSession : nil
    let expires: LedgerTime
    var marked = all
    switch push.storage {
    case .until(let date):
      expires = min(date, now.advanced(byMilliseconds: gist.retention))
      // A date that has passed is one try now, as APNs treats it.
      if expires <= now { marked = takers(among: all, of: registration, push: push, given: conditions, at: now) }
    case .once:
      expires = .distantPast
      marked = takers(among: all, of: registration, push: push, given: conditions, at: now)
    }
    let isOnce = expires <= now
    let dropped = all.subtracting(marked)
    let content = PushContent(number: number, id: push.id, payload: push.payload)
    noteSuperseded(marked, of: registration, by: number, at: now)
    commit(
      .pushed(
        LedgerRecord.PushRecord(
          content: content, marked: marked, dropped: dropped, expires: isOnce ? .distantPast : expires,
          priority: push.priority, at: now)), to: registration)
    counts.widgetsMarked += UInt64(marked.count)
    counts.widgetsDropped += UInt64(dropped.count)
    if !dropped.isEmpty { fanOuts.note(dropped.count, as: .dropped, of: number) }
    record(.marked, content, marked, of: registration, at: now)
    if !dropped.isEmpty { record(.dropped(absence(of: registration)), content, dropped, of: registration, at: now) }

    var sent = WidgetSet()
    if let session {
      sent = handOverDue(
        registration, to: session, given: conditions, once: isOnce ? marked : WidgetSet(), at: now)
    }
    return tally(
      registration, marked: marked, sent: sent, dropped: dropped, content: content, given: conditions, at: now)
  }

  /// The widgets that could be handed over at this instant: what a push of expiration 0 marks.
  private func takers(
    among all: WidgetSet, of registration: RegistrationState, push: IncomingPush, given conditions: DeliveryConditions,
    at now: LedgerTime
  ) -> WidgetSet {
    guard registration.device.writableSession != nil, push.priority > .power || !conditions.isAsleep else {
      return WidgetSet()
    }
    var takers = WidgetSet()
    for index in all {
      let account = registration.accounts[index]
      if account.cell.returns(at: now, under: policy(account.policy), given: conditions) == nil { takers.insert(index) }
    }
    return takers
  }

  private func absence(of registration: RegistrationState) -> RefreshDecision.Cause {
    guard registration.isDeviceAttached else { return .away }
    return switch registration.device.link {
    case .away: .away
    case .attached(_, isWritable: false): .busy
    case .attached: .budget
    }
  }

  private func noteSuperseded(
    _ marked: WidgetSet, of registration: RegistrationState, by number: UInt64, at now: LedgerTime
  ) {
    let isTold = gist.explain.keeps(registration.heldEnvironment)
    registration.forEachMark { mark, widgets in
      let group = widgets.intersection(marked)
      guard !group.isEmpty else { return }
      let isDead = mark.expires <= now
      if isDead {
        counts.widgetsExpired += UInt64(group.count)
      } else {
        counts.widgetsSuperseded += UInt64(group.count)
      }
      fanOuts.note(group.count, as: isDead ? .expired : .superseded, of: mark.number)
      guard isTold, let content = registration.content(of: mark.number) else { return }
      record(isDead ? .expired : .superseded(by: number), content, group, of: registration, at: now)
    }
  }

  private func tally(
    _ registration: RegistrationState, marked: WidgetSet, sent: WidgetSet, dropped: WidgetSet, content: PushContent,
    given conditions: DeliveryConditions, at now: LedgerTime
  ) -> PushVerdict.Tally {
    let deferred = marked.subtracting(sent)
    // What else was due went along, and is not this push's.
    var tally = PushVerdict.Tally(
      sent: marked.subtracting(deferred).count, deferred: deferred.count, dropped: dropped.count)
    guard !deferred.isEmpty else { return tally }
    var returns = LedgerTime.distantFuture
    var run = DecisionRun()
    let absence = absence(of: registration)
    let isTold = gist.explain.keeps(registration.heldEnvironment)
    let accounts = registration.accounts
    let standing = isTold ? registration.standing : StandingPushes()
    for position in deferred {
      let account = accounts[position]
      let policy = policy(account.policy)
      if let budget = account.cell.returns(at: now, under: policy, given: conditions) { returns = min(returns, budget) }
      guard isTold else { continue }
      let outcome: Decision.Outcome
      switch standing.mark(of: position)?.decide(with: account.cell, at: now, under: policy, given: conditions) {
      case .wait(let until, let cause): outcome = .deferred(cause, until: until)
      case nil, .none?, .expire, .handOver: outcome = .deferred(absence, until: .distantFuture)
      }
      if let whole = run.add(position, outcome) {
        record(whole.outcome, content, whole.widgets, of: registration, at: now)
      }
    }
    if let whole = run.end() { record(whole.outcome, content, whole.widgets, of: registration, at: now) }
    if returns != .distantFuture { tally.retry = Self.seconds(from: now, to: returns) }
    return tally
  }

  /// What a rejected push is told; nil unless there are widgets and every one lacks budget.
  private func exhaustion(
    of registration: RegistrationState, given conditions: DeliveryConditions, at now: LedgerTime
  ) -> PushVerdict.Exhaustion? {
    var first: (at: LedgerTime, state: WidgetState)?
    for position in registration.accounts.indices {
      let state = registration.state(of: position)
      let policy = policy(state.policy)
      guard var returns = state.cell.returns(at: now, under: policy, given: conditions) else { return nil }
      if registration.device.isAttached, let mark = state.mark,
        case .wait(let handOver, _) = state.decide(at: now, under: policy, given: conditions), handOver < mark.expires
      {
        // The token that comes first is spoken for: what this widget waits with takes it.
        var cell = state.cell
        cell.charge(at: handOver, under: policy)
        returns = cell.admission(at: handOver, under: policy).at
      }
      if returns < first?.at ?? .distantFuture { first = (returns, state) }
    }
    guard let first else { return nil }
    let policy = policy(first.state.policy)
    let next = first.state.cell.nextToken(at: now, under: policy) ?? now
    return PushVerdict.Exhaustion(
      retryAfter: Self.seconds(from: now, to: first.at), limit: policy.refreshesPerDay,
      remaining: first.state.cell.remaining(at: now, under: policy), reset: Self.seconds(from: now, to: next))
  }

  /// A bucket of one minute's pushes, refilled evenly; kept as the instant at which it would be empty again, in a unit
  /// that does not depend on the limit: a reload may change that one, and what was poured in stays as much.
  private func floodWait(of registration: RegistrationState, at now: LedgerTime) -> Int? {
    let limit = Int64(gist.pushesPerTokenPerMinute)
    let (clock, overflow) = now.milliseconds.multipliedReportingOverflow(by: 1000)
    guard limit > 0, !overflow else { return nil }
    let minute: Int64 = 60_000_000
    // Rounded down, so that all of a minute's pushes fit into the bucket.
    let step = minute / limit
    return registration.remember()._withUnsafeGuaranteedRef { memory in
      let level = max(memory.floodLevelAt, clock)
      let excess = level - clock + step - minute
      guard excess <= 0 else { return Int((excess - 1) / 1_000_000 + 1) }
      memory.floodLevelAt = level + step
      return nil
    }
  }

  /// The number that was taken last, by whatever it was.
  package var newestNumber: UInt64 { nextNumber - 1 }

  func takeNumber() -> UInt64 {
    defer { nextNumber += 1 }
    return nextNumber
  }

  /// Whole seconds, rounded up, at least 1.
  static func seconds(from now: LedgerTime, to later: LedgerTime) -> Int {
    let wait = max(0, later.milliseconds(since: now))
    return max(1, Int((wait - 1) / 1000 + 1))
  }
}
