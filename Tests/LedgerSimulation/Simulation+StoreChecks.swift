import BudgetThrottle
import GatewayCore
import TokenStore

/// What outlives a process, and what comes of everything in the end.
extension Simulation {
  /// A start that read back what was durable, perhaps under other rules.
  func compareStart(with image: LedgerImage?) throws {
    guard let image else {
      return try hold(ledger.registrations.count == 0, .durable, "an empty store held something")
    }
    var (restored, wanted) = (LedgerImage(ledger), image)
    for (id, registration) in wanted.registrations {
      guard let other = restored.registrations[id], other.states.count == registration.states.count,
        other.left.count == registration.left.count
      else { throw finding(.durable, "registration \(id) was not read back") }
      let now = restored.policies[id] ?? []
      let then = image.policies[id] ?? []
      let cells = registration.states.map(\.cell) + registration.left.map(\.cell)
      let others = other.states.map(\.cell) + other.left.map(\.cell)
      for place in cells.indices {
        try compare(others[place], under: now[place], with: cells[place], under: then[place], id)
      }
      for place in registration.states.indices {
        wanted.registrations[id]?.states[place].cell = other.states[place].cell
      }
      for place in registration.left.indices { wanted.registrations[id]?.left[place].cell = other.left[place].cell }
      let account = book.accounts[id]
      for (place, widget) in registration.widgets.enumerated() {
        guard let account else { throw finding(.durable, "registration \(id) is nobody's") }
        try hold(
          now[place] == policy(of: widget, in: account), .mint, "a \(widget.kind) started under another policy")
      }
    }
    restored.policies = [:]
    wanted.policies = [:]
    try compare(restored, with: wanted, as: .durable)
    try hold(
      ledger.batch.journalBytes == store.journalBytes, .bounded,
      "\(ledger.batch.journalBytes) of \(store.journalBytes) journal bytes are known")
  }

  private func compare(
    _ cell: BudgetCell, under policy: BudgetPolicy, with old: BudgetCell, under oldPolicy: BudgetPolicy, _ id: UInt64
  ) throws {
    if policy == oldPolicy {
      return try hold(
        cell == old, .durable, "a cell of registration \(id) was \(words(old)), and was read back as \(words(cell))")
    }
    let had = adopted(old.level(at: now, under: oldPolicy), from: oldPolicy, to: policy)
    let has = cell.level(at: now, under: policy)
    try hold(
      had.contains(has), .mint, "a cell of registration \(id) had \(had) units, and started with \(has) after a change")
  }

  private func words(_ cell: BudgetCell) -> String {
    let charged = cell.chargedAt == .distantPast ? "never charged" : "charged at \(cell.chargedAt.milliseconds)"
    return "\(cell.level) units at \(cell.settledAt.milliseconds), \(charged)"
  }

  func compare(_ image: LedgerImage, with wanted: LedgerImage, as invariant: Invariant) throws {
    try hold(
      image.registrations.count == wanted.registrations.count, invariant, "there are other registrations than before")
    for (id, registration) in wanted.registrations {
      try hold(
        image.registrations[id] == registration, invariant,
        "registration \(id) was \(registration) and is \(image.registrations[id] as Any)")
    }
    try hold(image.policies == wanted.policies, invariant, "policies changed")
    try hold(image.devices == wanted.devices, invariant, "devices changed")
    try hold(image.retired == wanted.retired, invariant, "retired tokens changed")
    try hold(image.fanOuts == wanted.fanOuts, invariant, "fan-outs were \(wanted.fanOuts), and are \(image.fanOuts)")
    try hold(image.grants == wanted.grants, invariant, "developer mode changed")
    try hold(image.audit == wanted.audit, .audit, "the audit changed")
  }

  /// Lets everything that waits for nothing but time go, and sees that it goes.
  func settle() throws {
    isSettling = true
    (rush, goal, patience) = (nil, nil, nil)
    tell("everything that can go now goes")
    for id in book.endpoints.keys.sorted(by: { $0.uuid.low < $1.uuid.low }) {
      try checked { try attach(id, last: lastSeen[id]) }
    }
    // A day and a bit for each token that a widget may lack; a mark wants one.
    let end = now.advanced(byMilliseconds: 3 * Self.day)
    while true {
      while ledger.isSweeping { try checked { sweep() } }
      while !book.turns.isEmpty { try checked { try advanceFanOuts() } }
      try checked {
        while ledger.wake(at: now, limit: 3) {}
        return Effect()
      }
      try submit()
      try makeDurable(atMost: .max)
      let full = book.endpoints.filter { $0.value.session != nil && !$0.value.isEmpty }.keys
      for id in full.sorted(by: { $0.uuid.low < $1.uuid.low }) { try checked { try emptyOutput(of: id) } }
      guard full.isEmpty else { continue }
      guard let next = ledger.nextWake, next <= end else { break }
      machine.pass(max(0, next.milliseconds(since: now)))
    }
    for (id, account) in book.accounts where account.isActive {
      let list = promises.list(of: id)
      for (place, state) in try registration(id).states.enumerated() {
        if let mark = state.mark {
          try hold(
            mark.priority == .power && book.endpoints[account.device]?.isAsleep == true, .liveness,
            "push \(mark.number) still marks a \(account.widgets[place].kind) of registration \(id) three days later")
        } else if let answered = promises.answered(list, widget: place) {
          try hold(
            promises.shown(list, widget: place) >= answered, .promise,
            "push \(answered) was answered 200, and a \(account.widgets[place].kind) of registration \(id) shows "
              + "\(promises.shown(list, widget: place))")
        }
      }
    }
    try compareStart(with: durable?.image)
    let restored = try restored(epoch: ledger.epoch + 1)
    try compare(LedgerImage(restored), with: LedgerImage(ledger), as: .durable)
    try hold(restored.batch.isEmpty, .durable, "a start that changes nothing writes something")
    count("settled")
  }

  private func checked(_ body: () throws -> Effect) throws {
    step += 1
    let before = Snapshot(ledger)
    try check(try body(), since: before)
  }
}
