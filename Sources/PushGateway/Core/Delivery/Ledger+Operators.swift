package import BudgetThrottle
package import TokenStore

extension Ledger {
  /// Turns of a device's developer mode: enough for whoever tries it out, and a line every ten minutes in the long run.
  package static let switchAllowance = SpacedAllowance(burst: 10, spacing: 600_000)

  package enum DeveloperModeRefusal: Error, Equatable, Sendable {
    /// `developer-mode.allowed = false`.
    case forbidden
    /// `developer-mode.device-switch = false`.
    case switchForbidden
    /// Milliseconds; `developer-mode.longest`.
    case tooLong(longest: Int64)
    /// A device's switch; seconds to wait.
    case tooOften(Int)
    case unknownDevice
    /// No device has registered the app.
    case unknownApp
    /// All registrations of the app are for production, which developer mode never touches.
    case productionOnly
  }

  /// Whether an operator's grant could lift anything at all: a bundle ID that is misspelled, or that lives in
  /// production only, is better refused than granted in vain.
  package func checkOperatorGrant(
    to subject: DeveloperModeSubject, for duration: Int64
  ) throws(DeveloperModeRefusal) {
    try checkGrant(for: duration)
    guard case .app(let app) = subject else { return }
    guard let presence = presence[app], presence.count > 0 else { throw .unknownApp }
    guard presence.inDevelopment > 0 else { throw .productionOnly }
  }

  private func checkGrant(for duration: Int64) throws(DeveloperModeRefusal) {
    guard rules.developerMode.allowed else { throw .forbidden }
    let longest = rules.developerMode.longest
    guard duration <= longest else { throw .tooLong(longest: longest) }
  }

  /// Lifts the budget of an app's or a device's development registrations.
  /// - Parameter duration: milliseconds; nil is the longest that is allowed.
  @discardableResult
  package func grantDeveloperMode(
    to subject: DeveloperModeSubject, for duration: Int64?, who: String, why: String,
    granter: DeveloperMode.Grant.Granter, at now: LedgerTime, wall: UnixTime
  ) throws(DeveloperModeRefusal) -> DeveloperMode.Grant {
    let length = duration ?? rules.developerMode.longest
    try checkGrant(for: length)
    if granter == .deviceSwitch, !rules.developerMode.deviceSwitch { throw .switchForbidden }
    if case .device(let device) = subject, devices[device] == nil { throw .unknownDevice }
    let grant = DeveloperMode.Grant(
      subject: subject, since: now, until: now.advanced(byMilliseconds: length), who: who, why: why, granter: granter)
    batch.write(.developerMode, id: developerMode.insert(grant, audit: audit.count), grant.encode())
    let (end, overflow) = wall.milliseconds.addingReportingOverflow(length)
    note(
      .developerModeOn, grant, who: who, why: why, wall: wall, until: UnixTime(milliseconds: overflow ? .max : end))
    lookAgain(at: subject, now: now)
    return grant
  }

  /// A device's own switch, for as long as is allowed. Each turn is a line of the audit, which only grows, so they are
  /// counted.
  package func switchDeveloperModeOn(
    _ device: DeviceState, at now: LedgerTime, wall: UnixTime
  ) throws(DeveloperModeRefusal) {
    try checkGrant(for: rules.developerMode.longest)
    guard rules.developerMode.deviceSwitch else { throw .switchForbidden }
    if let wait = switchAllowances[device.id, default: Self.switchAllowance].spend(at: now) { throw .tooOften(wait) }
    let subject = DeveloperModeSubject.device(device.id)
    try grantDeveloperMode(
      to: subject, for: nil, who: subject.description, why: "switched on on the device", granter: .deviceSwitch,
      at: now, wall: wall)
  }

  /// - Returns: false when there was nothing to end.
  package func endDeveloperMode(
    of subject: DeveloperModeSubject, who: String, why: String, by: DeveloperMode.Grant.Granter, at now: LedgerTime,
    wall: UnixTime
  ) -> Bool {
    let wasStanding = developerMode.isStanding(subject, at: now)
    guard let row = developerMode.remove(subject) else { return false }
    batch.write(.developerMode, id: row, nil)
    append(
      AuditEntry(
        at: wall, action: .developerModeOff, subject: .developerMode(subject), who: who, why: why, by: by,
        until: nil))
    return wasStanding
  }

  /// Takes out grants whose time is over, and says so in the audit.
  package func endExpiredDeveloperModes(at now: LedgerTime, wall: UnixTime) {
    for grant in developerMode.ended(at: now) {
      if let row = developerMode.remove(grant.subject) { batch.write(.developerMode, id: row, nil) }
      note(.developerModeEnded, grant, who: grant.who, why: "its time was over", wall: wall, until: nil)
    }
  }

  /// Every widget of the registration gets a full budget: outside the count of §4, and in the audit for it.
  package func resetBudgets(
    of registration: RegistrationState, who: String, why: String, uid: UInt32?, at now: LedgerTime, wall: UnixTime
  ) {
    refreshPolicies(of: registration, at: now)
    registration.changeAccounts { accounts in
      for position in accounts.indices {
        accounts[position].cell = .full(under: policy(accounts[position].policy), at: now)
      }
    }
    registration.left = []
    batch.writeNow(registration)
    append(
      AuditEntry(
        at: wall, action: .budgetReset, subject: .budgets(registration.app.bundleID, registration.device.id),
        who: who, why: why, by: .operatorRequest(uid: uid), until: nil))
    handOver(registration, at: now)
  }

  /// A reload: the new rules count at once. Cells keep their tokens, cut to the new capacity.
  package func change(_ new: LedgerRules, at now: LedgerTime) {
    guard new != rules else { return }
    let changesPolicies = new.budget != rules.budget
    rules = new
    developerMode.rules = new.developerMode
    trail.change(new.explain, at: now)
    if changesPolicies { beginPolicies() }
    sweepWalk = RegistrationWalk()
  }

  /// Goes on with the walk over all registrations that a change started, `limit` of them in one turn.
  /// - Returns: whether the walk is not over yet.
  package func sweep(at now: LedgerTime, limit: Int = 2048) -> Bool {
    guard var walk = sweepWalk else { return false }
    for _ in 0..<limit {
      guard let registration = walk.next(in: registrations) else {
        sweepWalk = nil
        forgetOldPolicies()
        return false
      }
      refreshPolicies(of: registration, at: now)
      handOver(registration, at: now)
    }
    sweepWalk = walk
    return true
  }

  /// Whether changed rules have not reached every registration yet.
  package var isSweeping: Bool { sweepWalk != nil }

  func append(_ entry: AuditEntry) {
    audit.append(entry)
    batch.write(.audit, id: UInt64(audit.count), entry.encode())
  }

  func note(
    _ action: AuditEntry.Action, _ grant: DeveloperMode.Grant, who: String, why: String, wall: UnixTime,
    until: UnixTime?
  ) {
    append(
      AuditEntry(
        at: wall, action: action, subject: .developerMode(grant.subject), who: who, why: why, by: grant.granter,
        until: until))
  }

  private func lookAgain(at subject: DeveloperModeSubject, now: LedgerTime) {
    switch subject {
    case .device(let id):
      if let device = devices[id] { handOverAll(of: device, at: now) }
    case .app:
      sweepWalk = RegistrationWalk()
    }
  }
}

extension Ledger {
  /// Forgets what is past its time: grants and fan-outs, and, with ``tidyMore(at:limit:)``, retired tokens and removed apps
  /// whose budgets would be full again. Meant to be called now and then.
  package func tidy(at now: LedgerTime, wall: UnixTime) {
    endExpiredDeveloperModes(at: now, wall: wall)
    trail.forgetOutlived(at: now)
    tidyFanOuts(at: now)
    switchAllowances = switchAllowances.filter { !$0.value.isFresh(at: now) }
    if tidyWalk == nil { tidyWalk = RegistrationWalk() }
  }

  /// Goes on with what ``tidy(at:wall:)`` started, a part of it in each turn.
  /// - Returns: whether there is more.
  package func tidyMore(at now: LedgerTime, limit: Int = 2048) -> Bool {
    guard var walk = tidyWalk else { return false }
    forgetRetired(at: now, limit: limit)
    for _ in 0..<limit {
      guard let registration = walk.next(in: registrations) else {
        // At its end it stays at its end.
        tidyWalk = hasRetiredToForget(at: now) ? walk : nil
        return tidyWalk != nil
      }
      noteStanding(of: registration.device, at: now)
      guard !registration.isActive else { continue }
      refreshPolicies(of: registration, at: now)
      guard registration.left.allSatisfy({ $0.cell.isForgettable(at: now, under: policy($0.policy)) }) else { continue }
      registration.device.registrations.remove(registration)
      batch.erase(registration)
      drop(registration)
    }
    tidyWalk = walk
    return true
  }
}
