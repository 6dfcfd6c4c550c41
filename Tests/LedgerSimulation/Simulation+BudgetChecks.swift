import BudgetThrottle
import GatewayCore
import TokenStore

/// Who paid what.
extension Simulation {
  func noteCharge(of widget: Widget, in account: Book.Account) {
    guard toll(of: widget, in: account) == .charged else { return }
    book.charges[book.group(of: widget, in: account), default: []].append(Book.Charge(at: now, lived: machine.lived))
    count("charged")
  }

  /// What a cell holds after a step is what it held before, less the price of the step's hand-over.
  func checkCell(
    _ old: WidgetState, _ new: WidgetState, _ isHandedOver: Bool, _ account: Book.Account, _ widget: Widget
  ) throws {
    let toll = toll(of: widget, in: account)
    let (before, after) = (ledger.policy(old.policy), ledger.policy(new.policy))
    let had = adopted(old.cell.level(at: now, under: before), from: before, to: after)
    let cost = BudgetRate(after).cost
    let price: Int64 =
      switch toll {
      case .charged where isHandedOver: cost
      case .counted where isHandedOver: min(cost, had.upperBound)
      default: 0
      }
    let has = new.cell.level(at: now, under: after)
    try hold(
      had.contains(has + price) || (toll == .counted && has == 0), .toll,
      "a \(widget.kind) had \(had) units and has \(has) after \(isHandedOver ? "a hand-over, \(toll)" : "none")")
    try hold(
      !isHandedOver || toll != .charged || had.upperBound >= cost, .budget,
      "a \(widget.kind) was handed over for \(had.upperBound) of \(cost) units")
  }

  /// A changed policy keeps the tokens, cut to the new capacity; the unit by which the token of L = 1 is dearer may go.
  func adopted(_ level: Int64, from before: BudgetPolicy, to after: BudgetPolicy) -> ClosedRange<Int64> {
    guard before != after else { return level...level }
    let kept = min(level, BudgetRate(after).capacity)
    return max(0, min(level - 1, kept))...kept
  }

  /// What the budgets of one kind and family hold together, those of removed widgets too: a list that was replaced has
  /// no more than before, but for a full budget for each widget beyond as many as there were budgets.
  func checkBudgets(of id: UInt64, _ old: Snapshot.Registration?, _ fresh: [Int: UInt64]) throws {
    guard let account = book.accounts[id] else { return }
    let registration = try registration(id)
    var before: [Book.Group: [Int64]] = [:]
    var after: [Book.Group: Int64] = [:]
    var placed: [Book.Group: Int] = [:]
    var cells: [Book.Group: Int] = [:]
    func note(_ group: Book.Group, _ cell: BudgetCell, _ index: UInt32) {
      let (its, own) = (ledger.policy(index), plainPolicy(of: group))
      before[group, default: []].append(adopted(cell.level(at: now, under: its), from: its, to: own).upperBound)
    }
    if let old {
      for (widget, state) in zip(old.widgets, old.states) {
        note(book.group(of: widget, in: account), state.cell, state.policy)
      }
      for left in old.left {
        note(book.group(of: Widget(kind: left.kind, family: left.family), in: account), left.cell, left.policy)
      }
    }
    for (place, state) in registration.states.enumerated() {
      let widget = registration.widgets[place]
      let group = book.group(of: widget, in: account)
      placed[group, default: 0] += 1
      cells[group, default: 0] += 1
      after[group, default: 0] += state.cell.level(at: now, under: plainPolicy(of: group))
      if fresh[place] != nil, toll(of: widget, in: account) == .charged {
        after[group, default: 0] += BudgetRate(plainPolicy(of: group)).cost
      }
    }
    for left in registration.left {
      let group = book.group(of: Widget(kind: left.kind, family: left.family), in: account)
      cells[group, default: 0] += 1
      after[group, default: 0] += left.cell.level(at: now, under: plainPolicy(of: group))
    }
    for (group, level) in after {
      let had = before[group] ?? []
      let new = max(0, (placed[group] ?? 0) - had.count)
      let allowed = had.reduce(0, +) + Int64(new) * BudgetRate(plainPolicy(of: group)).capacity
      try hold(
        level <= allowed && (cells[group] ?? 0) <= max(had.count, placed[group] ?? 0), .mint,
        "\(cells[group] ?? 0) budgets of \(group.kind) hold \(level) units, and \(allowed) are accounted for")
    }
  }

  func plainPolicy(of group: Book.Group) -> BudgetPolicy {
    plain.policy(of: group, book.endpoints[group.device]?.platform ?? .iOS)
  }

  /// Design §4, by counting. A budget that was charged within 24 h is never forgotten, so all that were charged in a
  /// window are there at its end.
  func checkWindows(of id: UInt64, _ places: Dictionary<Int, UInt64>.Keys) throws {
    guard let account = book.accounts[id] else { return }
    let registration = try registration(id)
    for group in Set(places.map { book.group(of: registration.widgets[$0], in: account) }) {
      guard let charges = book.charges[group], charges.last?.at == now else { continue }
      let start = now.advanced(byMilliseconds: -Self.day)
      let budgets =
        registration.widgets.count { $0.kind == group.kind && $0.family == group.family }
        + registration.left.count { $0.kind == group.kind && $0.family == group.family }
      let platform = book.endpoints[group.device]?.platform ?? .iOS
      let (burst, refill) = plain.bound(of: group, platform, since: start)
      let inWindow = charges.reversed().prefix { $0.at >= start }.count
      try hold(
        inWindow <= budgets * (burst + refill), .budget,
        "\(inWindow) charged hand-overs of \(group.kind) in 24 h, and \(budgets) budgets allow \(burst) + \(refill) each"
      )
      // By the time that has truly passed, which a reboot may have made more of: by at most a full bucket.
      let inTruth = charges.reversed().prefix { machine.lived - $0.lived <= Self.day }
      let bounty = gifts.count { machine.lived - $0 <= Self.day }
      let (most, earned) = plain.bound(of: group, platform, since: min(start, inTruth.last?.at ?? start))
      try hold(
        inTruth.count <= budgets * (most + earned + bounty * most), .budget,
        "\(inTruth.count) charged hand-overs of \(group.kind) in 24 h of true time, \(bounty) reboots forward in it, "
          + "and \(budgets) budgets allow \(most) + \(earned) each")
      count("window checked")
    }
  }

  func checkTolls(_ handedOver: HandedOver, since before: Snapshot) throws {
    var wanted = before.handOvers
    for (id, places) in handedOver {
      guard let account = book.accounts[id] else { continue }
      for place in places.keys {
        let toll = toll(of: account.widgets[place], in: account)
        wanted[Int(toll.rawValue)] += 1
        count("\(toll)")
      }
      if account.environment == .production { count("production") }
    }
    let counted = Snapshot.handOvers(of: ledger)
    let bypassed = Int(RefreshDecision.Toll.bypassed.rawValue)
    try hold(
      counted[bypassed] == wanted[bypassed], .bypass,
      "\(counted[bypassed]) hand-overs bypassed their budget, and \(wanted[bypassed]) may have")
    try hold(counted == wanted, .toll, "hand-overs by toll: \(counted), and the account says \(wanted)")
  }
}
