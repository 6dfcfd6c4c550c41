import BudgetThrottle
@testable import GatewayCore
import SeededRandom
import Testing
import TokenStore

extension LedgerSimulation {
  struct Snapshot {
    var epoch: UInt64
    var nextSequence: UInt64
    var handOvers: [UInt64]
    var registrations: [UInt64: (widgets: [Widget], states: [WidgetState])]
  }

  /// `#expect` captures every part of its expression, which would be most of the simulation's time.
  func holds(
    _ condition: Bool, _ sentence: @autoclosure () -> String, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    if !condition { Issue.record("\(sentence())", sourceLocation: sourceLocation) }
  }

  /// By registration and place in its list: what was handed over for the first time, with the number of its push.
  typealias HandedOver = [UInt64: [Int: UInt64]]

  func snapshot() -> Snapshot {
    Snapshot(
      epoch: ledger.epoch, nextSequence: ledger.nextSequence, handOvers: handOvers,
      registrations: Dictionary(
        uniqueKeysWithValues: ledger.registrations.map { ($0.id, ($0.widgets, $0.states)) }))
  }

  private var handOvers: [UInt64] { RefreshDecision.Toll.allCases.map { ledger.counters.handOvers[Int($0.rawValue)] } }

  func check(_ effect: Effect, since before: Snapshot) throws {
    let handedOver = try checkDeliveries(effect, since: before)
    for (id, old) in before.registrations {
      guard let registration = ledger.registrations.first(where: { $0.id == id }) else {
        holds(effect.gone.contains(id), "registration \(id) vanished")
        continue
      }
      let account = try #require(accounts[id])
      holds(registration.widgets == account.widgets, "registration.widgets == account.widgets")
      let places = Self.places(of: old.widgets, in: registration.widgets)
      if !effect.replaced.contains(id) {
        holds(registration.widgets == old.widgets, "registration.widgets == old.widgets")
      }
      for (from, to) in places {
        let fresh = handedOver[id]?[to]
        checkMark(old.states[from], registration.states[to], fresh, id, effect)
        checkInFlight(old.states[from], registration.states[to], fresh, account, effect)
        checkCell(old.states[from], registration.states[to], fresh, account, registration.widgets[to], id, effect)
      }
    }
    try checkPush(effect, handedOver, since: before)
    checkTolls(handedOver, since: before)
    checkStructure()
    checkTokens()
    if let emptied = effect.emptied ?? effect.attached, !ledger.isSweeping {
      try checkNobodyIsLeftWaiting(on: emptied)
    }
  }

  /// Equal widgets are matched in their order.
  private static func places(of old: [Widget], in new: [Widget]) -> [(Int, Int)] {
    var places: [(Int, Int)] = []
    for widget in Set(old) {
      places += zip(old.indices.filter { old[$0] == widget }, new.indices.filter { new[$0] == widget })
    }
    return places
  }

  // MARK: Deliveries

  /// Only to the stream that is open, only when it was empty; what is sent again only to a stream that opens, in order.
  private func checkDeliveries(_ effect: Effect, since before: Snapshot) throws -> HandedOver {
    var handedOver: HandedOver = [:]
    var deliveries: [Delivery] = []
    ledger.moveDeliveries(to: &deliveries)
    var filled: Set<DeviceID> = []
    var lastAgain: EventID?
    for case .refresh(let refresh) in deliveries {
      let (id, endpoint) = try #require(endpoints.first { $0.value.session == refresh.session }, "nobody's stream")
      let (key, account) = try #require(
        accounts.first { $0.value.device == id && $0.value.app == refresh.app.bundleID })
      holds(account.isActive, "account.isActive")
      holds(
        !refresh.included.isEmpty && refresh.refreshed.count == refresh.included.count,
        "!refresh.included.isEmpty && refresh.refreshed.count == refresh.included.count")
      holds(endpoint.isEmpty, "given to a stream that has not taken the last event")
      filled.insert(id)
      let isFresh = refresh.id.epoch == ledger.epoch && refresh.id.sequence >= before.nextSequence
      if isFresh {
        holds(lastAgain == nil, "what is due follows once the stream has taken what was sent again")
        for place in refresh.included {
          holds(handedOver[key]?[place] == nil, "one widget twice in one step")
          handedOver[key, default: [:]][place] = refresh.push.number
        }
        count("handed over")
      } else {
        holds(effect.attached == id, "effect.attached == id")
        if let lastAgain { holds(lastAgain < refresh.id, "lastAgain < refresh.id") }
        lastAgain = refresh.id
        count("sent again")
      }
      if !random.oneIn(4) { endpoints[id]?.lastSeen = refresh.id }
    }
    for id in filled { endpoints[id]?.isEmpty = false }
    return handedOver
  }

  // MARK: Widgets

  /// A mark ends by hand-over, by its date, and by nothing else; while it lives it only grows.
  private func checkMark(_ old: WidgetState, _ new: WidgetState, _ fresh: UInt64?, _ id: UInt64, _ effect: Effect) {
    holds(new.lastNumber >= old.lastNumber, "new.lastNumber >= old.lastNumber")
    guard let mark = old.mark else {
      if new.mark != nil { holds(effect.pushed?.registration == id, "a mark out of nothing") }
      return
    }
    if let fresh { return holds(fresh >= mark.number, "fresh >= mark.number") }
    guard let now = new.mark else {
      holds(mark.expires <= self.now, "a mark was lost")
      return count("expired")
    }
    holds(now.number >= mark.number, "now.number >= mark.number")
    guard mark.expires > self.now else { return }
    holds(
      now.expires >= mark.expires && now.first <= mark.first && now.priority >= mark.priority,
      "now.expires >= mark.expires && now.first <= mark.first && now.priority >= mark.priority")
  }

  /// What is in flight ends by a receipt of its epoch, by a newer hand-over, or by its date when a stream opens.
  private func checkInFlight(
    _ old: WidgetState, _ new: WidgetState, _ fresh: UInt64?, _ account: Account, _ effect: Effect
  ) {
    if let fresh {
      holds(new.inFlight?.number == fresh, "new.inFlight?.number == fresh")
      holds(new.mark == nil, "new.mark == nil")
      return
    }
    guard let waiting = old.inFlight else { return holds(new.inFlight == nil, "in flight out of nothing") }
    if let receipt = effect.receipt, receipt.device == account.device, receipt.upTo.epoch == waiting.epoch,
      receipt.upTo.sequence >= waiting.sequence
    {
      holds(new.inFlight == nil, "a receipt was not heard")
    } else if effect.attached == account.device, waiting.expires <= now {
      holds(new.inFlight == nil, "new.inFlight == nil")
    } else {
      holds(new.inFlight == waiting, "an unconfirmed hand-over was lost")
    }
  }

  private func checkCell(
    _ old: WidgetState, _ new: WidgetState, _ fresh: UInt64?, _ account: Account, _ widget: Widget, _ id: UInt64,
    _ effect: Effect
  ) {
    guard !effect.reset.contains(id) else { return }
    let toll = toll(of: widget, in: account)
    if fresh != nil, toll == .charged {
      let group = Group(device: account.device, app: account.app, kind: widget.kind, family: widget.family)
      spendings[group]?.charges.append(now)
      count("charged")
    }
    if effect.changesPolicies, old.policy != new.policy { return }
    let policy = ledger.policy(new.policy)
    let cost = BudgetRate(policy).cost
    let level = old.cell.level(at: now, under: policy)
    let price: Int64 =
      switch (fresh, toll) {
      case (nil, _), (_, .uncounted), (_, .exempt), (_, .bypassed): 0
      case (_, .charged): cost
      case (_, .counted): min(cost, level)
      }
    holds(level - new.cell.level(at: now, under: policy) == price, "paid for as \(toll)")
    holds(price != cost || level >= cost || toll == .counted, "price != cost || level >= cost || toll == .counted")
  }

  private func checkTolls(_ handedOver: HandedOver, since before: Snapshot) {
    guard before.epoch == ledger.epoch else { return }
    var wanted = before.handOvers
    for (id, places) in handedOver {
      guard let account = accounts[id] else { continue }
      for place in places.keys {
        let toll = toll(of: account.widgets[place], in: account)
        wanted[Int(toll.rawValue)] += 1
        count("\(toll)")
        if account.environment == .production { holds(toll != .bypassed, "toll != .bypassed") }
      }
    }
    holds(handOvers == wanted, "handOvers == wanted")
  }

  // MARK: Pushes

  func checkVerdict(_ verdict: PushVerdict, of push: IncomingPush, to account: Account) {
    switch verdict {
    case .flood(let wait):
      holds(
        ledger.rules.pushesPerTokenPerMinute > 0 && (1...60).contains(wait),
        "ledger.rules.pushesPerTokenPerMinute > 0 && (1...60).contains(wait)")
      return count("flood")
    case .overBudget(let exhaustion):
      holds(
        ledger.rules.budget.overBudget == .reject && exhaustion.retryAfter >= 1,
        "ledger.rules.budget.overBudget == .reject && exhaustion.retryAfter >= 1")
      count("over budget")
    case .duplicate, .accepted: break
    default: Issue.record("a registered token was answered \(verdict)")
    }
    holds(
      (verdict == .duplicate) == account.accepted.contains(push.id),
      "(verdict == .duplicate) == account.accepted.contains(push.id)")
    count(verdict == .duplicate ? "duplicate" : "accepted")
  }

  private func checkPush(_ effect: Effect, _ handedOver: HandedOver, since before: Snapshot) throws {
    guard let (id, push, verdict) = effect.pushed, let tally = verdict.tally, let old = before.registrations[id]
    else { return }
    let states = try registration(id).states
    let number = ledger.nextNumber - 1
    var isOnce = true
    if case .until(let date) = push.storage { isOnce = date <= now }
    var (sent, deferred, dropped) = (0, 0, 0)
    var returns = LedgerTime.distantFuture
    let account = try #require(accounts[id])
    for (place, state) in states.enumerated() {
      if handedOver[id]?[place] == number {
        sent += 1
      } else if state.mark?.number == number {
        deferred += 1
        holds(!isOnce, "!isOnce")
        guard toll(of: account.widgets[place], in: account) == .charged else { continue }
        let admission = state.cell.admission(at: now, under: ledger.policy(state.policy)).at
        if admission > now { returns = min(returns, admission) }
      } else {
        dropped += 1
        holds(isOnce, "a push that was to be kept marked nothing")
        holds(state.lastNumber == number, "state.lastNumber == number")
        let isDead = old.states[place].mark.map { $0.expires <= now } ?? true
        holds(
          state.mark == old.states[place].mark || isDead || handedOver[id]?[place] != nil,
          "state.mark == old.states[place].mark || isDead || handedOver[id]?[place] != nil")
      }
    }
    holds(
      tally.sent == sent && tally.deferred == deferred && tally.dropped == dropped,
      "tally.sent == sent && tally.deferred == deferred && tally.dropped == dropped")
    let wait = returns.milliseconds(since: now)
    holds(
      tally.retry == (returns == .distantFuture ? nil : Int((wait + 999) / 1000)),
      "tally.retry == (returns == .distantFuture ? nil : Int((wait + 999) / 1000))")
    if deferred > 0 { count("deferred") }
    if dropped > 0 { count("dropped") }
  }

  // MARK: The whole

  private func checkStructure() {
    for registration in ledger.registrations {
      holds(
        registration.states.count == registration.widgets.count,
        "registration.states.count == registration.widgets.count")
      let named = Set(registration.states.flatMap { [$0.mark?.number, $0.inFlight?.number].compactMap { $0 } })
      holds(
        Set(registration.contents.map(\.number)).isSuperset(of: named),
        "Set(registration.contents.map(.number)).isSuperset(of: named)")
      holds(
        registration.contents.count <= 2 * registration.widgets.count,
        "registration.contents.count <= 2 * registration.widgets.count")
      for state in registration.states {
        holds(state.cell.level >= 0, "state.cell.level >= 0")
        let policy = ledger.policy(state.policy)
        holds(
          state.cell.level(at: now, under: policy) <= BudgetRate(policy).capacity,
          "state.cell.level(at: now, under: policy) <= BudgetRate(policy).capacity")
      }
    }
    holds(ledger.deadlines.count <= ledger.registrations.count, "ledger.deadlines.count <= ledger.registrations.count")
  }

  /// The index says what a plain search says.
  private func checkTokens() {
    var holders: [TokenKey: UInt64] = [:]
    for (id, account) in accounts where account.isActive {
      holders[TokenKey(token: account.token, environment: account.environment)] = id
      holds(ledger.registration(for: account.token, in: account.environment)?.id == id, "a token was lost")
    }
    holds(ledger.index.count == holders.count, "the index holds something else")
    for token in Self.tokens {
      for environment in GatewayEnvironment.allCases {
        let key = TokenKey(token: token, environment: environment)
        holds(ledger.registration(for: token, in: environment)?.id == holders[key], "a token found the wrong one")
      }
    }
  }

  /// No widget stays stale that could be handed over at this instant, and the next look is not too late.
  func checkNobodyIsLeftWaiting() throws {
    for id in endpoints.keys { try checkNobodyIsLeftWaiting(on: id) }
  }

  private func checkNobodyIsLeftWaiting(on id: DeviceID) throws {
    guard let endpoint = endpoints[id], endpoint.session != nil, endpoint.isEmpty else { return }
    for (key, account) in accounts where account.device == id && account.isActive {
      let states = try registration(key).states
      for (state, widget) in zip(states, account.widgets) {
        guard let mark = state.mark else { continue }
        let toll = toll(of: widget, in: account)
        let conditions = DeliveryConditions(
          isExempt: toll == .exempt, isBypassed: toll == .bypassed, isAsleep: endpoint.isAsleep,
          lowPriorityWindow: ledger.rules.lowPriorityWindow)
        switch state.decide(at: now, under: policy(of: widget, app: account.app), given: conditions) {
        case .wait(let until, let cause):
          if cause == .asleep {
            holds(mark.priority == .power, "mark.priority == .power")
          } else {
            holds((ledger.nextWake ?? .distantFuture) <= until, "(ledger.nextWake ?? .distantFuture) <= until")
          }
          count("waited for \(cause)")
        case let other: Issue.record("left waiting, and could be: \(other)")
        }
      }
    }
  }

  /// Design §4, over removals, returns, rotations and restarts: the widgets of one kind and family of one app spend
  /// together at most what as many budgets as there ever were of them at once may spend.
  func checkSpending() {
    for (group, spending) in spendings {
      for (place, first) in spending.charges.enumerated() {
        let window = spending.charges[place...].prefix { $0.milliseconds(since: first) <= 86_400_000 }
        holds(window.count <= spending.mostAtOnce * (spending.burst + spending.refill), "\(group)")
      }
    }
  }

  // MARK: The store

  func commit() throws {
    while let batch = ledger.takeBatch(clock: clock) {
      store.commit(batch)
      holds(ledger.batch.journalBytes == store.journalBytes, "ledger.batch.journalBytes == store.journalBytes")
      count("committed")
    }
    if !ledger.isSweeping, random.oneIn(6) { try checkReplay() }
  }

  /// Whatever was committed so far, read back, is the ledger as it stands.
  func checkReplay() throws {
    let restored = try store.restored(
      rules: ledger.rules, epoch: ledger.epoch + 1, at: now, journalTarget: journalTarget)
    holds(rows(of: restored) == rows(of: ledger), "rows(of: restored) == rows(of: ledger)")
    holds(
      restored.retired.mapValues(\.token) == ledger.retired.mapValues(\.token),
      "restored.retired.mapValues(.token) == ledger.retired.mapValues(.token)")
    holds(
      restored.developerMode.grants.mapValues(\.grant) == ledger.developerMode.grants.mapValues(\.grant),
      "restored.developerMode.grants.mapValues(.grant) == ledger.developerMode.grants.mapValues(.grant)")
    holds(restored.audit == ledger.audit, "restored.audit == ledger.audit")
    holds(restored.index.count == ledger.index.count, "restored.index.count == ledger.index.count")
    holds(restored.batch.journalBytes == store.journalBytes, "restored.batch.journalBytes == store.journalBytes")
    holds(
      restored.nextRegistrationID <= ledger.nextRegistrationID,
      "restored.nextRegistrationID <= ledger.nextRegistrationID")
    holds(restored.batch.isEmpty, "a start that changes nothing writes nothing")
    count("replayed")
  }

  private func rows(of ledger: Ledger) -> [String: [UInt8]] {
    var rows: [String: [UInt8]] = [:]
    for registration in ledger.registrations {
      rows["registration \(registration.id)"] = SampleLedger.row(registration)
    }
    for device in ledger.devices.values {
      var writer = ByteWriter()
      device.encodeRow(into: &writer)
      rows["device \(device.number)"] = writer.bytes
    }
    return rows
  }
}
