import BudgetThrottle
import GatewayCore
import SeededRandom
import TokenStore

/// What operators do.
extension Simulation {
  func sweep() -> Effect {
    guard ledger.isSweeping else { return Effect() }
    tell("the walk over all registrations goes on")
    _ = ledger.sweep(at: now, limit: 2)
    return Effect()
  }

  func changeRules() -> Effect {
    var rules = Self.anyRules(&random)
    // Often only a part: an override comes or goes.
    if random.oneIn(2) {
      rules = plain.rules
      if rules.budget.overrides.isEmpty {
        rules.budget.overrides = Self.anyRules(&random).budget.overrides
      } else {
        rules.budget.overrides.removeLast()
      }
    }
    tell("reload: \(words(rules.budget))")
    plain.change(to: rules, at: now)
    ledger.change(rules, at: now)
    if random.oneIn(2) { while ledger.sweep(at: now, limit: 2) {} }
    count("rules changed")
    return Effect()
  }

  func words(_ budget: BudgetPolicySet) -> String {
    let standard = budget.standard
    return "\(standard.mode) \(standard.refreshesPerDay)/\(standard.burst), over budget \(budget.overBudget), "
      + "\(budget.overrides.count) overrides"
  }

  func toggleDeveloperMode() throws -> Effect {
    guard let id = anyDevice(), let app = Self.apps.randomElement(using: &random) else { return Effect() }
    let subject: DeveloperModeSubject = random.oneIn(2) ? .device(id) : .app(app)
    if random.oneIn(3) {
      tell("developer mode off for \(subject)")
      let stood = (book.grants[subject] ?? .distantPast) > now
      let ended = ledger.endDeveloperMode(
        of: subject, who: "ann", why: "", by: .operatorRequest(uid: 7), at: now, wall: wall)
      try hold(ended == stood, .bypass, "a grant that stood was not ended, or one that did not was")
      book.grants[subject] = nil
      return Effect()
    }
    let duration = Int64.random(in: 1...40_000_000, using: &random)
    let isAllowed = plain.rules.developerMode.allowed && duration <= plain.rules.developerMode.longest
    // The account first: the grant hands over what waited for it.
    let old = book.grants[subject]
    if isAllowed { book.grants[subject] = now.advanced(byMilliseconds: duration) }
    tell("developer mode for \(subject), \(duration) ms")
    do throws(Ledger.DeveloperModeRefusal) {
      try ledger.grantDeveloperMode(
        to: subject, for: duration, who: "ann", why: "tries", granter: .operatorRequest(uid: 7), at: now, wall: wall)
    } catch {
      book.grants[subject] = old
      if isAllowed { throw finding(.bypass, "a grant was refused: \(error)") }
      return Effect()
    }
    try hold(isAllowed, .bypass, "a grant that the configuration forbids")
    while random.oneIn(2), ledger.sweep(at: now, limit: 2) {}
    count("developer mode")
    return Effect()
  }

  func tidy() -> Effect {
    tell("tidy")
    ledger.tidy(at: now, wall: wall)
    while ledger.tidyMore(at: now) {}
    book.grants = book.grants.filter { $0.value > now }
    book.retired = book.retired.filter { $0.value.forgotten > now }
    book.charges = book.charges.compactMapValues { charges in
      let recent = charges.filter { now.milliseconds(since: $0.at) <= 2 * Self.day }
      return recent.isEmpty ? nil : recent
    }
    forgetFanOuts()
    var effect = Effect()
    for (key, account) in book.accounts
    where !account.isActive && !ledger.registrations.contains(where: { $0.id == key }) {
      book.forget(key)
      effect.gone.insert(key)
      count("forgotten app")
    }
    return effect
  }

  func resetBudgets() throws -> Effect {
    guard let id = anyAccount(), let account = book.accounts[id] else { return Effect() }
    tell("reset of the budgets of registration \(id)")
    // What a full budget lets go at once belongs to the time after the reset.
    for group in book.charges.keys where group.device == account.device && group.app == account.app {
      book.charges[group] = nil
    }
    ledger.resetBudgets(of: try registration(id), who: "ann", why: "tries", uid: 7, at: now, wall: wall)
    count("reset")
    return Effect(reset: [id])
  }

  /// Operators and devices ask.
  func ask() throws -> Effect {
    tell("budgets and grants are asked for")
    let before = LedgerImage(ledger)
    let (bytes, isEmpty) = (ledger.batch.pendingBytes, ledger.batch.isEmpty)
    for registration in ledger.registrations {
      _ = ledger.peek(registration, at: now)
      _ = ledger.isBypassed(registration, at: now)
      _ = ledger.registrations(for: registration.token)
    }
    for grant in ledger.developerMode.standing(at: now) {
      try hold((book.grants[grant.subject] ?? .distantPast) == grant.until, .bypass, "a grant that nobody gave stands")
    }
    try hold(
      ledger.batch.pendingBytes == bytes && ledger.batch.isEmpty == isEmpty, .peek, "asking wrote to the store")
    try compare(LedgerImage(ledger), with: before, as: .peek)
    count("asked")
    return Effect()
  }
}
