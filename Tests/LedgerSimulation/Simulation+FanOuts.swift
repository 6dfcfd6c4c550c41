import BudgetThrottle
import GatewayCore
import SeededRandom
import TokenStore

/// One request for all registrations of an app.
extension Simulation {
  func beginFanOut() throws -> Effect {
    guard let app = Self.apps.randomElement(using: &random) else { return Effect() }
    let filter = FanOutFilter(
      kinds: random.oneIn(3) ? [Self.kinds.randomElement(using: &random) ?? "cup"] : nil,
      families: random.oneIn(4) ? [.systemSmall] : nil, platforms: random.oneIn(6) ? [.watchOS] : nil)
    var order = FanOutOrder(
      team: random.oneIn(5) ? "OTHER" : "TEAM", bundleID: app,
      environment: random.oneIn(3) ? .production : .development, push: anyPush(), filter: filter)
    // A provider that heard no answer asks again.
    let begun = book.fanOuts.values.sorted { $0.number < $1.number }
    if random.oneIn(8), let old = begun.randomElement(using: &random) { order = old.order }
    let id = CanonicalUUID(high: 8, low: nextFanOut)
    nextFanOut += 1
    tell(
      "fan-out \(id.low) of push \(order.push.id.uuid.low) to \(order.bundleID) for \(order.environment), \(words(order.push.storage))"
    )
    let known = book.fanOuts.first { $0.value.order.key == order.key }?.key
    switch ledger.begin(order, id: id, at: now) {
    case .known(let fanOut):
      try hold(fanOut.id == known, .fanOut, "a new fan-out was taken for \(fanOut.id)")
      count("fan-out again")
    case .accepted(let fanOut):
      try hold(known == nil && fanOut.id == id, .fanOut, "the same fan-out was taken twice")
      try hold(fanOut.number == ledger.nextNumber - 1, .fanOut, "a fan-out has an old number")
      book.fanOuts[id] = Book.FanOut(
        order: order, number: fanOut.number, acceptedAt: now, candidates: Set(book.accounts.keys))
      if !book.turns.contains(order.bundleID) { book.turns.append(order.bundleID) }
      count("fan-out")
    case .tooMany: throw finding(.fanOut, "no room for one of \(book.fanOuts.count) fan-outs")
    }
    return Effect()
  }

  func cancelFanOut() throws -> Effect {
    let running = book.fanOuts.filter { $0.value.state == .running }.keys.sorted { $0.low < $1.low }
    guard let id = running.randomElement(using: &random) else { return Effect() }
    tell("fan-out \(id.low) is cancelled")
    ledger.cancel(try fanOut(id))
    book.endFanOut(id, as: .cancelled)
    count("fan-out cancelled")
    return Effect()
  }

  func fanOut(_ id: CanonicalUUID) throws -> FanOut {
    guard let fanOut = ledger.fanOuts.find(id) else { throw finding(.fanOut, "fan-out \(id.low) is gone") }
    return fanOut
  }

  /// One slice of the fan-out whose turn it is, beside what it should do: apps take turns, and those of one app follow
  /// one another.
  func advanceFanOuts() throws -> Effect {
    guard let app = book.turns.first, let (id, plan) = book.running(of: app).first else {
      try hold(!ledger.advanceFanOuts(at: now), .fanOut, "a fan-out runs that nobody began, or that has ended")
      return Effect()
    }
    book.turns.append(book.turns.removeFirst())
    let limit = [1, 2, 256].randomElement(using: &random) ?? 1
    tell("fan-out \(id.low) goes on behind registration \(plan.passed), \(limit) at most")
    let (marked, isOver) = try playSlice(of: id, limit: limit)
    if isOver {
      book.endFanOut(id, as: .done)
      count("fan-out done")
    }
    let isRunning = ledger.advanceFanOuts(at: now, limit: limit)
    try hold(isRunning == !book.turns.isEmpty, .fanOut, "fan-outs go on, and should have ended, or the other way round")
    if isKept(plan.order.push) {
      for (key, widgets) in marked {
        line.gather(.answer(promises.list(of: key), widgets, number: plan.number))
      }
    }
    count("fan-out slice")
    return Effect(slice: (plan.number, plan.order.push, marked))
  }

  /// - Returns: which widgets of whom the slice has to mark, and whether nobody is left for another.
  private func playSlice(of id: CanonicalUUID, limit: Int) throws -> (marked: [UInt64: WidgetSet], isOver: Bool) {
    guard var plan = book.fanOuts[id] else { return ([:], true) }
    defer { book.fanOuts[id] = plan }
    var marked: [UInt64: WidgetSet] = [:]
    var (compared, found) = (0, 0)
    while found < limit, compared < 16 * limit {
      guard let key = plan.candidates.filter({ $0 > plan.passed }).min(), let account = book.accounts[key] else {
        return (marked, true)
      }
      plan.passed = key
      compared += 1
      if isMeant(account, by: plan.order) {
        compared += account.widgets.count * max(1, plan.order.filter.kinds?.count ?? 1)
      }
      let fitting = places(for: plan.order, in: account)
      guard !fitting.isEmpty else { continue }
      found += fitting.count
      plan.counts.matched += fitting.count
      let hasSeenID = account.accepted.contains { $0 == plan.order.push.id }
      let states = try registration(key).states
      let fresh = fitting.filter { !hasSeenID && states[$0].lastNumber < plan.number }
      plan.counts.skipped += fitting.count - fresh.count
      plan.counts.marked += fresh.count
      guard !fresh.isEmpty else { continue }
      book.accounts[key]?.accepted = (account.accepted + [plan.order.push.id]).suffix(8)
      var widgets = WidgetSet()
      for place in fresh { widgets.insert(place) }
      marked[key] = widgets
    }
    return (marked, false)
  }

  private func isMeant(_ account: Book.Account, by order: FanOutOrder) -> Bool {
    account.isActive && account.app == order.bundleID && account.environment == order.environment
  }

  private func places(for order: FanOutOrder, in account: Book.Account) -> [Int] {
    guard isMeant(account, by: order),
      let platform = book.endpoints[account.device]?.platform, order.filter.platforms?.contains(platform) ?? true
    else { return [] }
    return account.widgets.indices.filter { place in
      let widget = account.widgets[place]
      return order.filter.kinds?.contains(widget.kind) ?? true && order.filter.families?.contains(widget.family) ?? true
    }
  }

  /// Those that have ended are forgotten when their marks would be dead.
  func forgetFanOuts() {
    for (id, fanOut) in book.fanOuts
    where fanOut.state != .running && fanOut.acceptedAt.advanced(byMilliseconds: plain.rules.retention) <= now {
      book.fanOuts[id] = nil
      count("fan-out forgotten")
    }
  }
}
