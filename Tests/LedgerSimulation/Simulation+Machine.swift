import BudgetThrottle
import GatewayCore
import SeededRandom
import TokenStore

/// Time, the store, and the ends of processes.
extension Simulation {
  // MARK: Time

  func startWaiting() -> Effect {
    let steps: [Int64] = [
      1, 500, 2000, 60_000, 300_000, 3_600_000, 3 * 3_600_000, 20 * 3_600_000, Self.day, Self.day + 1,
    ]
    let length = steps.randomElement(using: &random) ?? 1
    if random.oneIn(5) {
      // The machine slept: nobody woke the ledger on the way.
      tell("\(length) ms pass in suspend")
      machine.pass(length)
      while ledger.wake(at: now, limit: 3) {}
      return Effect()
    }
    tell("\(length) ms begin to pass")
    goal = now.advanced(byMilliseconds: length)
    return passTime()
  }

  /// To the next moment at which the ledger wants to be woken, and not beyond the goal.
  func passTime() -> Effect {
    guard let goal else { return Effect() }
    let wake = max(now, min(goal, ledger.nextWake ?? goal))
    machine.pass(wake.milliseconds(since: now))
    if wake >= goal {
      self.goal = nil
      // At the same millisecond the client that waited may be heard before the timer.
      if patience != nil, random.oneIn(2) { return Effect() }
    }
    tell("woken at \(wake.milliseconds)")
    while ledger.wake(at: now, limit: 3) {}
    return Effect()
  }

  /// A time server or a person sets the clock, at both ends of what is plausible.
  func stepWall() throws -> Effect {
    let steps: [Int64] = [-40 * Self.day, -Self.day, -3_600_000, -1, 1, 3_600_000, Self.day, 40 * Self.day]
    let length = steps.randomElement(using: &random) ?? 1
    tell("the wall clock steps by \(length) ms")
    let before = now
    machine.stepWall(by: length)
    count(length < 0 ? "clock back" : "clock forward")
    try hold(now == before, .clock, "a step of the wall clock moved ledger time")
    return Effect()
  }

  // MARK: The store

  /// What was decided goes to the store as one batch.
  func submit() throws {
    gatherDeliveries()
    let clock = clock.stored(boot: machine.boot, wall: machine.wall)
    if let batch = ledger.takeBatch(clock: clock) {
      line.submit(batch, book, LedgerImage(ledger), lived: machine.lived)
    } else {
      for output in line.submitNothing() { release(output) }
    }
  }

  private func gatherDeliveries() {
    for delivery in pendingDeliveries { line.gather(.delivery(delivery, list: list(of: delivery))) }
    pendingDeliveries = []
  }

  private func list(of delivery: Delivery) -> Promises.List? {
    guard case .refresh(let refresh) = delivery,
      let device = book.endpoints.first(where: { $0.value.session == refresh.session })?.key,
      let id = book.account(of: refresh.app.bundleID, on: device)?.id
    else { return nil }
    return promises.list(of: id)
  }

  func makeDurable(atMost limit: Int) throws {
    for _ in 0..<limit {
      guard let waiting = line.popDurable() else { return }
      store.commit(waiting.batch)
      durable = (waiting.book, waiting.image, waiting.lived)
      for output in waiting.outputs { release(output) }
      count("committed")
    }
  }

  private func release(_ output: CommitLine.Output) {
    switch output {
    case .answer(let list, let widgets, let number):
      for place in widgets { promises.answer(list, widget: place, number: number) }
    case .delivery(.endStream, _): break
    case .delivery(.refresh(let refresh), let list):
      owed[refresh.session] = (owed[refresh.session] ?? 1) > 1 ? (owed[refresh.session] ?? 1) - 1 : nil
      guard let (id, _) = book.endpoints.first(where: { $0.value.session == refresh.session }) else { return }
      // A device may be gone without the gateway knowing: from then on this stream is read by nobody.
      if !isSettling, random.oneIn(6) { unread.insert(refresh.session) }
      guard !unread.contains(refresh.session) else { return }
      lastSeen[id] = refresh.id
      guard let list else { return }
      for place in refresh.included { promises.show(list, widget: place, number: refresh.push.number) }
    }
  }

  // MARK: The process ends

  /// At any position of the journal: what is not durable is lost, and nothing of it had left. Then another process
  /// starts, perhaps after a reboot, perhaps with other rules.
  func crash() throws -> Effect {
    try submit()
    let isLossy = random.oneIn(2)
    if isLossy { count("crashed with batches under way") } else { try makeDurable(atMost: .max) }
    let (lost, last) = (line.waiting.count, durable)
    line = CommitLine()
    pendingDeliveries = []
    owed = [:]
    unread = []
    (rush, goal, patience) = (nil, nil, nil)
    try pause()
    let start = now
    tell(
      "crash, \(lost) batches lost; a start at \(start.milliseconds)\(machine.bootNumber == 1 ? "" : ", boot \(machine.bootNumber)")"
    )

    if random.oneIn(4) {
      plain.change(to: Self.anyRules(&random), at: start)
      count("started with other rules")
    }
    book = last?.book ?? Book()
    for id in book.endpoints.keys { book.endpoints[id]?.end() }
    book.beginTurnsAnew()
    if !book.turns.isEmpty { count("fan-out over a restart") }
    let epoch = ledger.epoch + UInt64.random(in: 1...3, using: &random)
    ledger = try restored(epoch: epoch)
    try compareStart(with: last?.image)
    count("restarted")
    return Effect(isStart: true)
  }

  func restored(epoch: UInt64) throws -> Ledger {
    do {
      return try store.restored(
        rules: plain.rules, epoch: epoch, at: now, journalTarget: journalTarget)
    } catch {
      throw finding(.durable, "the store could not be read back: \(error)")
    }
  }

  /// Downtime, with or without a reboot, with or without a step of the wall clock; the ledger's time goes on from the
  /// last commit.
  private func pause() throws {
    let lengths: [Int64] = [0, 1000, 60_000, 3_600_000, 30 * 3_600_000]
    let isReboot = random.oneIn(3)
    machine.pass(lengths.randomElement(using: &random) ?? 0)
    if isReboot {
      if random.oneIn(2) { _ = try stepWall() }
      machine.reboot()
      count("rebooted")
    }
    clock = LedgerClock(continuing: store.clock, bootID: machine.bootID, boot: machine.boot, wall: machine.wall)
    guard let last = store.clock, let durable else { return }
    let passed = now.milliseconds - last.ledger
    let truth = machine.lived - durable.lived
    try hold(passed >= 0, .clock, "ledger time went back by \(-passed) ms over a start")
    if passed > truth { gifts.append(machine.lived) }
    if isReboot {
      try hold(passed == max(0, machine.wall - last.wall), .clock, "a reboot made \(passed) ms of \(truth)")
    } else if last.bootID == machine.bootID {
      try hold(passed == truth, .clock, "a start made \(passed) ms of \(truth)")
    }
  }
}
