import BudgetThrottle
@testable import GatewayCore
import LedgerSimulation
import Testing
import TokenStore

/// Protects against defects that the ledger once had; each was found by reading or by the simulation.
@Suite("What once went wrong in the ledger") struct LedgerRegressionTests {
  @Test("A row that was written out of turn does not trim what others still need from the journal")
  func trimsOnlyWhatIsCovered() throws {
    // A target of one byte: every commit writes as many rows as it has records, oldest first.
    let sample = SampleLedger(journalTarget: 2000)
    let device = sample.device()
    let (first, second, third) = (
      try sample.register(SampleLedger.widgets("cup"), on: device, app: "first", fresh: 1),
      try sample.register(SampleLedger.widgets("cup"), on: device, app: "second", fresh: 2),
      try sample.register(SampleLedger.widgets("cup"), on: device, app: "third", fresh: 3)
    )
    sample.commit()
    for registration in [first, second, third] {
      sample.push(to: registration)
      sample.commit()
    }
    // Written at once, and dirty again: it now stands twice in the list of what the journal still covers.
    try sample.register(SampleLedger.widgets("cup"), on: device, app: "second")
    sample.commit()
    sample.push(to: second)
    sample.commit()
    try sample.register(SampleLedger.widgets("cup"), on: device, app: "first")
    sample.commit()
    #expect(sample.store.journalBytes == sample.ledger.batch.journalBytes)
    try sample.crash()
    let token = try SampleLedger.token(3)
    let restored = try #require(sample.ledger.registration(for: token, in: .development))
    #expect(restored.waitingCount == 1, "the third app's push was answered 200")
    #expect(SampleLedger.row(restored) == SampleLedger.row(third))
  }

  @Test("A device that leaves while its widgets wait leaves no deadline behind")
  func leavesNoDeadline() throws {
    let sample = SampleLedger()
    do {
      let device = sample.device()
      let registration = try sample.register(SampleLedger.widgets("cup"), on: device)
      sample.attach(device)
      sample.push(to: registration, priority: .grouped)
      #expect(sample.ledger.nextWake != nil)
      sample.ledger.leave(device, at: sample.now, wall: sample.wall)
    }
    sample.pass(10_000)
    #expect(!sample.ledger.wake(at: sample.now))
    #expect(sample.ledger.nextWake == nil)
  }

  @Test("Pushes that wait for their window add one deadline a registration and not one each")
  func oneDeadline() throws {
    var rules = LedgerRules()
    var override = BudgetPolicySet.Override(kind: "clock")
    override.mode = .off
    rules.budget.overrides = [override]
    rules.budget.standard.refreshesPerDay = 1
    let sample = SampleLedger(rules)
    let device = sample.device()
    let registration = try sample.register(SampleLedger.widgets("cup", "clock"), on: device)
    let session = sample.attach(device)
    for _ in 0..<100 {
      sample.push(to: registration, priority: .grouped)
      sample.pass(2000)
      while sample.ledger.wake(at: sample.now) {}
      sample.ledger.outputEmptied(session, of: device, at: sample.now)
    }
    #expect(sample.ledger.deadlines.count == 1)
  }

  @Test("A lowered flood limit counts what was sent at what it is worth, and shuts nobody out")
  func loweredFloodLimit() throws {
    let sample = SampleLedger(LedgerRules(pushesPerTokenPerMinute: 600))
    let registration = try sample.register(SampleLedger.widgets("cup"), on: sample.device())
    sample.push(to: registration)
    var rules = sample.ledger.rules
    rules.pushesPerTokenPerMinute = 60
    sample.ledger.change(rules, at: sample.now)
    #expect(sample.push(to: registration).tally != nil)
    for _ in 0..<100 { sample.push(to: registration) }
    guard case .denied(.flood(let wait)) = sample.push(to: registration) else {
      Issue.record("a hundred at once are more than sixty a minute")
      return
    }
    #expect(wait == 1)
    sample.pass(1000)
    #expect(sample.push(to: registration).tally != nil)
  }

  @Test("A dead mark that nobody buried counts as expired, and lifts no newer push out of sleep")
  func deadMark() throws {
    let sample = SampleLedger()
    let device = sample.device()
    let registration = try sample.register(SampleLedger.widgets("cup"), on: device)
    sample.push(to: registration, .until(sample.now.advanced(byMilliseconds: 1000)), priority: .immediate)
    sample.pass(1000)
    sample.push(to: registration, priority: .power)
    #expect(sample.ledger.counters.widgetsExpired == 1)
    #expect(sample.ledger.counters.widgetsSuperseded == 0)
    #expect(registration.states[0].mark?.priority == .power)
    #expect(registration.states[0].mark?.first == sample.now)
  }

  @Test("What goes along with a push of one try is not counted as that push's")
  func goesAlong() throws {
    let sample = SampleLedger()
    let device = sample.device()
    let registration = try sample.register(SampleLedger.widgets("cup"), on: device)
    sample.attach(device)
    sample.ledger.heard(Ledger.DeviceSays(isAsleep: true), from: device, at: sample.now)
    sample.push(to: registration, priority: .grouped)
    sample.pass(2000)
    let tally = sample.push(to: registration, .once, priority: .power).tally
    #expect(tally == PushVerdict.Tally(sent: 0, deferred: 0, dropped: 1))
    #expect(sample.refreshes().count == 1)
  }

  @Test("A mark that waits for its budget is buried when it dies, and not when the budget returns")
  func diesInTime() throws {
    let sample = SampleLedger()
    let device = sample.device()
    let registration = try sample.register(SampleLedger.widgets("cup"), on: device)
    let session = sample.attach(device)
    for _ in 0..<5 {
      sample.push(to: registration, .until(sample.now.advanced(byMilliseconds: 1000)))
      sample.ledger.outputEmptied(session, of: device, at: sample.now)
    }
    #expect(registration.waitingCount == 1)
    #expect(sample.ledger.nextWake == sample.now.advanced(byMilliseconds: 1000))
    sample.pass(1000)
    #expect(!sample.ledger.wake(at: sample.now))
    #expect(registration.waitingCount == 0)
    #expect(sample.ledger.counters.widgetsExpired == 1)
  }

  @Test("A budget that was left does not earn at a new rate for the time before the change")
  func leftBudgetAdopts() throws {
    var rules = LedgerRules()
    rules.budget.standard = BudgetPolicy(refreshesPerDay: 2)
    let sample = SampleLedger(rules)
    let device = sample.device()
    let registration = try sample.register(SampleLedger.widgets("cup"), on: device)
    sample.attach(device)
    sample.push(to: registration)
    try sample.register([], on: device)
    sample.pass(3_600_000)
    rules.budget.standard = BudgetPolicy(refreshesPerDay: 1000)
    sample.ledger.change(rules, at: sample.now)
    while sample.ledger.sweep(at: sample.now) {}
    try sample.register(SampleLedger.widgets("cup"), on: device)
    let policy = rules.budget.standard
    #expect(registration.states[0].cell.remaining(at: sample.now, under: policy) == 0)
  }

  @Test("A budget that is full under a small limit is still remembered when the limit grows within the day")
  func leftBudgetOutlivesSmallLimit() throws {
    var rules = LedgerRules()
    let large = BudgetPolicy(refreshesPerDay: 50)
    rules.budget.standard = large
    let sample = SampleLedger(rules)
    let device = sample.device()
    let registration = try sample.register(SampleLedger.widgets("cup"), on: device)
    let session = sample.attach(device)
    for _ in 0..<4 {
      sample.push(to: registration)
      sample.ledger.outputEmptied(session, of: device, at: sample.now)
    }
    sample.pass(2_000_000)
    rules.budget.standard = BudgetPolicy(refreshesPerDay: 10)
    sample.ledger.change(rules, at: sample.now)
    try sample.register([], on: device)
    rules.budget.standard = large
    sample.ledger.change(rules, at: sample.now)
    try sample.register(SampleLedger.widgets("cup"), on: device)
    #expect(registration.states[0].cell.remaining(at: sample.now, under: large) == 1)
  }

  @Test("An app that returns after its old token has gone to another device gets a fresh one")
  func returnsToATakenToken() throws {
    let sample = SampleLedger()
    let (mine, other) = (sample.device(1), sample.device(2))
    let registration = try sample.register(SampleLedger.widgets("cup"), on: mine)
    let token = registration.token
    sample.ledger.remove(registration, at: sample.now, wall: sample.wall)
    sample.pass(sample.ledger.rules.retention)
    try sample.register(SampleLedger.widgets("cup"), on: other, token: token)
    let returned = try sample.register(SampleLedger.widgets("cup"), on: mine, fresh: 77)
    #expect(returned.token == (try SampleLedger.token(77)))
    #expect(throws: Ledger.RegistrationRefusal.tokenInUse) {
      try sample.register(SampleLedger.widgets("cup"), on: mine, token: token)
    }
  }

  @Test("Developer mode of a device that leaves ends in the audit too")
  func developerModeOfALeaver() throws {
    let sample = SampleLedger()
    let device = sample.device()
    try sample.ledger.grantDeveloperMode(
      to: .device(device.id), for: nil, who: "ann", why: "demo", granter: .deviceSwitch, at: sample.now,
      wall: sample.wall)
    sample.ledger.leave(device, at: sample.now, wall: sample.wall)
    #expect(sample.ledger.audit.remembered.map(\.action) == [.developerModeOn, .developerModeEnded])
    #expect(sample.ledger.developerMode.grants.isEmpty)
  }

  @Test("A grant without end in sight does not trap on the calendar")
  func endlessGrant() throws {
    var rules = LedgerRules()
    rules.developerMode.longest = .max
    let sample = SampleLedger(rules)
    let grant = try sample.ledger.grantDeveloperMode(
      to: .app(try SampleLedger.bundleID()), for: nil, who: "ann", why: "", granter: .operatorRequest(uid: nil),
      at: sample.now, wall: sample.wall)
    #expect(grant.until == .distantFuture)
    #expect(sample.ledger.audit.remembered.first?.until == UnixTime(milliseconds: .max))
  }

  @Test("A crash while changed rules are on their way to everybody earns nothing at the old rate for the downtime")
  func crashesWhileSweeping() throws {
    var rules = LedgerRules()
    rules.budget.standard = BudgetPolicy(refreshesPerDay: 50)
    let sample = SampleLedger(rules)
    let device = sample.device()
    let registration = try sample.register(SampleLedger.widgets("cup"), on: device)
    let session = sample.attach(device)
    for _ in 0..<4 {
      sample.push(to: registration)
      sample.ledger.outputEmptied(session, of: device, at: sample.now)
    }
    let slow = BudgetPolicy(refreshesPerDay: 5)
    rules.budget.standard = slow
    sample.ledger.change(rules, at: sample.now)
    // It is touched, and so under the new rules, before the walk over all has begun.
    sample.push(to: registration)
    sample.commit()
    sample.pass(3_600_000)
    try sample.crash()
    let cell = try sample.onlyRegistration().states[0].cell
    #expect(cell.level(at: sample.now, under: slow) == 3_600_000 * 4)
  }

  @Test(
    "A client that is told to wait is not told of a token that a waiting refresh takes first", arguments: [true, false])
  func spokenForToken(isConnected: Bool) throws {
    var rules = LedgerRules()
    rules.budget.standard = BudgetPolicy(refreshesPerDay: 2)
    let sample = SampleLedger(rules)
    let device = sample.device()
    let registration = try sample.register(SampleLedger.widgets("cup"), on: device)
    let session = sample.attach(device)
    sample.push(to: registration)
    sample.ledger.outputEmptied(session, of: device, at: sample.now)
    sample.push(to: registration)
    #expect(registration.waitingCount == 1)
    rules.budget.overBudget = .reject
    sample.ledger.change(rules, at: sample.now)
    if !isConnected { sample.ledger.detach(device, session: session) }
    guard case .denied(.overBudget(let exhaustion)) = sample.push(to: registration) else {
      Issue.record("it has no budget")
      return
    }
    #expect(exhaustion.retryAfter == (isConnected ? 172_800 : 86_400))
    let until = sample.now.advanced(byMilliseconds: Int64(exhaustion.retryAfter) * 1000)
    while let next = sample.ledger.nextWake, next <= until {
      sample.now = next
      while sample.ledger.wake(at: sample.now) {}
    }
    sample.now = until
    #expect(sample.push(to: registration).tally != nil)
  }

  @Test("What waits for the time of former policies takes no token that a client was told of meanwhile")
  func spokenForUnderNewPolicies() throws {
    var rules = LedgerRules()
    rules.budget.standard = BudgetPolicy(refreshesPerDay: 8, burst: 1)
    let sample = SampleLedger(rules)
    let device = sample.device()
    let registration = try sample.register(SampleLedger.widgets("cup"), on: device)
    let session = sample.attach(device)
    sample.push(to: registration)
    sample.ledger.outputEmptied(session, of: device, at: sample.now)
    sample.push(to: registration)
    rules.budget.standard = BudgetPolicy(refreshesPerDay: 11, burst: 1)
    rules.budget.overBudget = .reject
    sample.ledger.change(rules, at: sample.now)
    // Before the walk over all has come to this registration.
    guard case .denied(.overBudget(let exhaustion)) = sample.push(to: registration) else {
      Issue.record("it has no budget")
      return
    }
    #expect(exhaustion.retryAfter == 17_280)
    let until = sample.now.advanced(byMilliseconds: 17_280_000)
    while let next = sample.ledger.nextWake, next <= until {
      sample.now = next
      while sample.ledger.wake(at: sample.now) {}
    }
    sample.now = until
    #expect(sample.push(to: registration).tally != nil)
  }
}
