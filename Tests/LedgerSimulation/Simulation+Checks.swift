import BudgetThrottle
import GatewayCore
import TokenStore

extension Simulation {
  /// By registration and place in its list: what was handed over for the first time, with the number of its push.
  typealias HandedOver = [UInt64: [Int: UInt64]]

  func check(_ effect: Effect, since before: Snapshot) throws {
    if effect.isStart {
      try checkStructure()
      return try checkTokens()
    }
    let handedOver = try checkDeliveries(effect, since: before)
    for (id, old) in before.registrations {
      guard let registration = ledger.registrations.first(where: { $0.id == id }) else {
        try hold(effect.gone.contains(id), .durable, "registration \(id) vanished")
        for state in old.states { noteRemoved(state) }
        continue
      }
      guard let account = book.accounts[id] else { throw finding(.durable, "registration \(id) is nobody's") }
      try checkWidgets(of: registration, account, old, handedOver[id] ?? [:], effect)
    }
    for id in effect.replaced { try checkBudgets(of: id, before.registrations[id], handedOver[id] ?? [:]) }
    for (id, places) in handedOver { try checkWindows(of: id, places.keys) }
    try checkPush(effect, handedOver, since: before)
    try checkFanOuts()
    try checkTolls(handedOver, since: before)
    try checkStructure()
    if !effect.replaced.isEmpty || !effect.gone.isEmpty { try checkTokens() }
    try hold(
      ledger.audit.count >= before.auditCount, .audit, "\(before.auditCount) entries became \(ledger.audit.count)")
    try checkNobodyIsLeftWaiting()
  }

  private func checkWidgets(
    of registration: RegistrationState, _ account: Book.Account, _ old: Snapshot.Registration,
    _ fresh: [Int: UInt64], _ effect: Effect
  ) throws {
    try hold(registration.widgets == account.widgets, .durable, "registration \(registration.id) has other widgets")
    let isReplaced = effect.replaced.contains(registration.id)
    if !isReplaced, fresh.isEmpty, effect.receipt == nil, effect.attached == nil, old.states == registration.states {
      return
    }
    let places =
      isReplaced
      ? Self.places(of: old.widgets, in: registration.widgets) : registration.states.indices.map { ($0, $0) }
    for from in Set(old.states.indices).subtracting(places.map(\.0)) { noteRemoved(old.states[from]) }
    for (from, to) in places {
      let (before, after) = (old.states[from], registration.states[to])
      let list = promises.list(of: registration.id)
      if fresh[to] != nil { noteCharge(of: registration.widgets[to], in: account) }
      try noteFate(before, after, fresh[to], registration.id, place: to, account, effect)
      if let died = try checkMark(before, after, fresh[to], registration.id, effect) {
        promises.show(list, widget: to, number: died)
      }
      if let died = try checkInFlight(before, after, fresh[to], account, effect) {
        promises.show(list, widget: to, number: died)
      }
      guard !effect.reset.contains(registration.id) else { continue }
      try checkCell(before, after, fresh[to] != nil, account, registration.widgets[to])
    }
  }

  /// Equal widgets are matched in their order.
  static func places(of old: [Widget], in new: [Widget]) -> [(Int, Int)] {
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
      guard let (id, endpoint) = book.endpoints.first(where: { $0.value.session == refresh.session }),
        let (key, account) = book.account(of: refresh.app.bundleID, on: id)
      else { throw finding(.delivery, "event \(refresh.id) goes to nobody's stream") }
      try hold(account.isActive, .delivery, "event \(refresh.id) is of a removed app")
      try hold(
        !refresh.included.isEmpty && refresh.refreshed.count == refresh.included.count, .delivery,
        "event \(refresh.id) names widgets that are not there")
      try hold(endpoint.isEmpty, .delivery, "event \(refresh.id) goes to a stream that has not taken the last one")
      filled.insert(id)
      if refresh.id.epoch == ledger.epoch, refresh.id.sequence >= before.nextSequence {
        try hold(lastAgain == nil, .delivery, "event \(refresh.id) overtakes what is sent again")
        for place in refresh.included {
          try hold(
            handedOver[key]?[place] == nil, .toll, "widget \(place) of registration \(key) was handed over twice")
          handedOver[key, default: [:]][place] = refresh.push.number
        }
        count("handed over")
      } else {
        try hold(
          effect.attached == id, .delivery, "event \(refresh.id) is sent again to a stream that did not open now")
        if let lastAgain {
          try hold(lastAgain < refresh.id, .delivery, "event \(refresh.id) is sent again after \(lastAgain)")
        }
        lastAgain = refresh.id
        count("sent again")
      }
      owed[refresh.session, default: 0] += 1
    }
    for id in filled { book.endpoints[id]?.isEmpty = false }
    pendingDeliveries += deliveries
    return handedOver
  }

  // MARK: Widgets

  /// - Returns: the number of a push whose time was over.
  private func checkMark(
    _ old: WidgetState, _ new: WidgetState, _ fresh: UInt64?, _ id: UInt64, _ effect: Effect
  ) throws -> UInt64? {
    try hold(new.lastNumber >= old.lastNumber, .mark, "a widget of registration \(id) unlearnt a push")
    guard let mark = old.mark else {
      try hold(
        new.mark == nil || effect.pushed?.registration == id || effect.slice?.marked[id] != nil, .mark,
        "a mark out of nothing")
      return nil
    }
    if let fresh {
      try hold(fresh >= mark.number, .mark, "push \(fresh) was handed over for \(mark.number)")
      return nil
    }
    guard let joined = new.mark else {
      try hold(
        mark.expires <= now, .mark,
        "push \(mark.number) was lost for a widget of registration \(id), \(mark.expires.milliseconds(since: now)) ms "
          + "before its expiration")
      count("expired")
      return mark.number
    }
    try hold(joined.number >= mark.number, .mark, "push \(mark.number) became \(joined.number)")
    guard mark.expires > now else { return mark.number }
    try hold(
      joined.expires >= mark.expires && joined.first <= mark.first && joined.priority >= mark.priority, .mark,
      "a mark of registration \(id) shrank")
    return nil
  }

  /// - Returns: the number of a push whose time was over.
  private func checkInFlight(
    _ old: WidgetState, _ new: WidgetState, _ fresh: UInt64?, _ account: Book.Account, _ effect: Effect
  ) throws -> UInt64? {
    let isConfirmed = isConfirmed(old.inFlight, of: account, effect)
    if let fresh {
      try hold(
        new.inFlight?.number == fresh && new.mark == nil, .flight, "a hand-over of push \(fresh) is not in flight")
      // A device that loses the stream now has seen neither the old one nor this.
      let promised = [old.mark?.expires, isConfirmed ? nil : old.inFlight?.expires].compactMap { $0 }.max() ?? now
      try hold(
        promised <= now || new.inFlight?.expires ?? now >= promised, .flight,
        "push \(fresh) shortened the time for which an older one was to be kept")
      return nil
    }
    guard let waiting = old.inFlight else {
      try hold(new.inFlight == nil, .flight, "something is in flight that nobody handed over")
      return nil
    }
    let event = EventID(epoch: waiting.epoch, sequence: waiting.sequence)
    if isConfirmed {
      try hold(new.inFlight == nil, .flight, "the receipt of \(event) was not heard")
    } else if effect.attached == account.device, waiting.expires <= now {
      try hold(new.inFlight == nil, .flight, "\(event) outlived its expiration")
      return waiting.number
    } else {
      try hold(new.inFlight == waiting, .flight, "\(event) was confirmed by nobody, and is gone")
    }
    return nil
  }

  func isConfirmed(_ flight: InFlight?, of account: Book.Account, _ effect: Effect) -> Bool {
    guard let flight, let receipt = effect.receipt else { return false }
    return receipt.device == account.device && receipt.upTo.epoch == flight.epoch
      && receipt.upTo.sequence >= flight.sequence
  }

  // MARK: The whole

  private func checkStructure() throws {
    var (widgetCount, waiting, inFlight) = (0, 0, 0)
    for registration in ledger.registrations {
      widgetCount += registration.states.count
      waiting += registration.states.count { $0.mark != nil }
      inFlight += registration.states.count { $0.inFlight != nil }
      let widgets = registration.widgets.count
      try hold(
        registration.isDeviceAttached == registration.device.isAttached, .delivery,
        "registration \(registration.id) does not know whether its device has a stream")
      try hold(registration.states.count == widgets, .bounded, "registration \(registration.id) has too many states")
      try hold(
        registration.contents.count <= 2 * widgets, .bounded,
        "registration \(registration.id) keeps \(registration.contents.count) pushes for \(widgets) widgets")
      for state in registration.states {
        for number in [state.mark?.number, state.inFlight?.number].compactMap({ $0 }) {
          try hold(ledger.content(of: number, in: registration) != nil, .mark, "the content of push \(number) is gone")
        }
        let policy = ledger.policy(state.policy)
        let level = state.cell.level(at: now, under: policy)
        try hold(
          state.cell.level >= 0 && level >= 0 && level <= BudgetRate(policy).capacity, .mint,
          "a cell of registration \(registration.id) holds \(level) units")
      }
    }
    let counted = ledger.widgetCounts
    try hold(
      (counted.widgets, counted.waiting, counted.inFlight) == (widgetCount, waiting, inFlight), .counts,
      "\(widgetCount) widgets, \(waiting) marked, \(inFlight) in flight are counted as \(counted)")
    try hold(
      ledger.deadlines.count <= ledger.registrations.count, .bounded, "\(ledger.deadlines.count) deadlines are kept")
  }

  /// The index says what a plain search says.
  private func checkTokens() throws {
    var holders: [RetiredToken.Key: UInt64] = [:]
    for (id, account) in book.accounts where account.isActive {
      holders[RetiredToken.Key(token: account.token, environment: account.environment)] = id
      try hold(
        ledger.registration(for: account.token, in: account.environment)?.id == id, .token,
        "the token of registration \(id) does not find it")
    }
    try hold(
      ledger.index.count == holders.count, .token, "\(ledger.index.count) tokens for \(holders.count) registrations")
    for token in Self.tokens {
      for environment in GatewayEnvironment.allCases {
        let key = RetiredToken.Key(token: token, environment: environment)
        try hold(
          ledger.registration(for: token, in: environment)?.id == holders[key], .token, "a token finds the wrong one")
      }
    }
  }

  /// No widget is stale that could be handed over at this instant, and the next look is not too late.
  func checkNobodyIsLeftWaiting() throws {
    guard !ledger.isSweeping, ledger.nextWake ?? .distantFuture > now else { return }
    for (key, account) in book.accounts where account.isActive {
      guard let endpoint = book.endpoints[account.device], endpoint.session != nil, endpoint.isEmpty else { continue }
      for (state, widget) in zip(try registration(key).states, account.widgets) where state.mark != nil {
        let toll = toll(of: widget, in: account)
        let conditions = DeliveryConditions(
          isExempt: toll == .exempt, isBypassed: toll == .bypassed, isAsleep: endpoint.isAsleep,
          lowPriorityWindow: plain.rules.lowPriorityWindow)
        switch state.decide(at: now, under: policy(of: widget, in: account), given: conditions) {
        case .wait(_, .asleep):
          try hold(state.mark?.priority == .power && endpoint.isAsleep, .liveness, "a widget sleeps with nobody")
          count("waited for asleep")
        case .wait(let until, let cause):
          try hold(
            ledger.nextWake ?? .distantFuture <= until, .liveness,
            "a \(widget.kind) of registration \(key) waits for \(cause) until \(until.milliseconds), and nobody looks then"
          )
          count("waited for \(cause)")
        case let other:
          throw finding(.liveness, "a \(widget.kind) of registration \(key) is left waiting, and could be: \(other)")
        }
      }
    }
  }
}
