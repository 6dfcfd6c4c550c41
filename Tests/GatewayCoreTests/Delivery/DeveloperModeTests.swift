import BudgetThrottle
@testable import GatewayCore
import Testing
import TokenStore

/// Protects the one thing that lifts a budget: who may switch it on, how long it holds, that it is on record, and that
/// no production registration ever has it.
@Suite("Developer mode") struct DeveloperModeTests {
  private let sample = SampleLedger(
    { () -> LedgerRules in
      var rules = LedgerRules()
      rules.budget.standard = BudgetPolicy(refreshesPerDay: 1, minimumInterval: 300_000)
      return rules
    }())
  private let device: DeviceState

  init() { device = sample.device() }

  private func grant(
    _ subject: DeveloperModeSubject, for duration: Int64? = 3_600_000,
    by granter: DeveloperMode.Grant.Granter = .deviceSwitch
  ) throws(Ledger.DeveloperModeRefusal) {
    try sample.ledger.grantDeveloperMode(
      to: subject, for: duration, who: "ann", why: "tries", granter: granter, at: sample.now, wall: sample.wall)
  }

  @Test(
    "It lifts budget and minimum interval of a device's or an app's development widgets, until its end",
    arguments: [true, false])
  func lifts(isDevice: Bool) throws {
    let registration = try sample.register(SampleLedger.widgets("cup"), on: device)
    let session = sample.attach(device)
    try grant(isDevice ? .device(device.id) : .app(registration.app.bundleID))
    for _ in 0..<10 {
      sample.push(to: registration)
      sample.ledger.outputEmptied(session, of: device, at: sample.now)
    }
    #expect(sample.refreshes().count == 10)
    #expect(sample.ledger.counters.handOvers[Int(RefreshDecision.Toll.bypassed.rawValue)] == 10)
    #expect(registration.states[0].cell.chargedAt == .distantPast, "nothing was charged")
    sample.pass(3_600_000)
    sample.push(to: registration)
    sample.ledger.outputEmptied(session, of: device, at: sample.now)
    #expect(sample.push(to: registration).tally?.deferred == 1, "one charged, and the next waits again")
  }

  @Test("A device may turn its switch ten times at once, and then once in ten minutes; others are not held up by it")
  func switchLimit() throws {
    func turnOn(_ device: DeviceState) throws(Ledger.DeveloperModeRefusal) {
      try sample.ledger.switchDeveloperModeOn(device, at: sample.now, wall: sample.wall)
    }
    let other = sample.device(2)
    for _ in 0..<10 { try turnOn(device) }
    #expect(throws: Ledger.DeveloperModeRefusal.tooOften(600)) { try turnOn(device) }
    try turnOn(other)
    sample.pass(599_999)
    #expect(throws: Ledger.DeveloperModeRefusal.tooOften(1)) { try turnOn(device) }
    sample.pass(1)
    sample.ledger.tidy(at: sample.now, wall: sample.wall)
    try turnOn(device)
    #expect(throws: Ledger.DeveloperModeRefusal.tooOften(600), "what was counted is not tidied away") {
      try turnOn(device)
    }
    var rules = sample.ledger.rules
    rules.developerMode.deviceSwitch = false
    sample.ledger.change(rules, at: sample.now)
    #expect(throws: Ledger.DeveloperModeRefusal.switchForbidden, "what is forbidden is no matter of how often") {
      try turnOn(device)
    }
    sample.pass(6_000_000)
    sample.ledger.tidy(at: sample.now, wall: sample.wall)
    #expect(sample.ledger.switchAllowances.isEmpty)
  }

  @Test("What waited for its budget goes at once when it is granted", arguments: [true, false])
  func frees(isDevice: Bool) throws {
    let registration = try sample.register(SampleLedger.widgets("cup"), on: device)
    let session = sample.attach(device)
    sample.push(to: registration)
    sample.push(to: registration)
    sample.ledger.outputEmptied(session, of: device, at: sample.now)
    #expect(sample.refreshes().count == 1)
    try grant(isDevice ? .device(device.id) : .app(registration.app.bundleID))
    while sample.ledger.sweep(at: sample.now) {}
    #expect(sample.refreshes().count == 1)
  }

  @Test("It does nothing for production, priority, sleep and expiration")
  func nothingElse() throws {
    let production = try sample.register(
      SampleLedger.widgets("cup"), on: device, app: "tea", environment: .production, fresh: 2)
    let registration = try sample.register(SampleLedger.widgets("cup"), on: device)
    let session = sample.attach(device)
    try grant(.device(device.id))
    try grant(.app(production.app.bundleID))
    sample.push(to: production)
    sample.ledger.outputEmptied(session, of: device, at: sample.now)
    #expect(sample.push(to: production).tally == PushVerdict.Tally(sent: 0, deferred: 1, dropped: 0, retry: 86_401))
    #expect(sample.ledger.counters.handOvers[Int(RefreshDecision.Toll.bypassed.rawValue)] == 0)
    #expect(!sample.ledger.isBypassed(production, at: sample.now))

    sample.ledger.outputEmptied(session, of: device, at: sample.now)
    sample.ledger.heard(Ledger.DeviceSays(isAsleep: true), from: device, at: sample.now)
    #expect(sample.push(to: registration, priority: .power).tally?.deferred == 1)
    #expect(sample.push(to: registration, priority: .grouped).tally?.deferred == 1)
  }

  @Test("It is refused where it is forbidden, for a device by its own switch, too long, or of an unknown device")
  func refused() throws {
    let stranger = DeviceID(CanonicalUUID(high: 9, low: 9))
    #expect(throws: Ledger.DeveloperModeRefusal.unknownDevice) { try grant(.device(stranger)) }
    #expect(throws: Ledger.DeveloperModeRefusal.tooLong(longest: 8 * 3_600_000)) {
      try grant(.device(device.id), for: 8 * 3_600_000 + 1)
    }
    var rules = sample.ledger.rules
    rules.developerMode.deviceSwitch = false
    sample.ledger.change(rules, at: sample.now)
    #expect(throws: Ledger.DeveloperModeRefusal.switchForbidden) { try grant(.device(device.id)) }
    try grant(.device(device.id), by: .operatorRequest(uid: 7))
    rules.developerMode.allowed = false
    sample.ledger.change(rules, at: sample.now)
    #expect(throws: Ledger.DeveloperModeRefusal.forbidden) {
      try grant(.device(device.id), by: .operatorRequest(uid: 7))
    }
    let registration = try sample.register(SampleLedger.widgets("cup"), on: device)
    #expect(!sample.ledger.isBypassed(registration, at: sample.now), "a standing grant has no effect while forbidden")
    #expect(sample.ledger.developerMode.standing(at: sample.now).isEmpty)
  }

  @Test("It lifts neither an expiration, nor expiration 0 of a device that is away, nor the flood limit")
  func notLifted() throws {
    var rules = sample.ledger.rules
    rules.pushesPerTokenPerMinute = 3
    sample.ledger.change(rules, at: sample.now)
    let registration = try sample.register(SampleLedger.widgets("cup"), on: device)
    try grant(.device(device.id))
    #expect(sample.push(to: registration, .once).tally == PushVerdict.Tally(dropped: 1), "nobody is there to take it")
    sample.push(to: registration, .until(sample.now.advanced(byMilliseconds: 1000)))
    sample.pass(1000)
    sample.attach(device)
    #expect(sample.refreshes().isEmpty, "it had expired")
    #expect(sample.ledger.counters.widgetsExpired == 1)
    #expect(sample.push(to: registration).tally?.sent == 1)
    #expect(sample.push(to: registration) == .denied(.flood(retryAfter: 19)))
  }

  @Test("An operator's grant for an app that nobody has, or that only production has, is refused")
  func useless() throws {
    let app = DeveloperModeSubject.app(try SampleLedger.bundleID())
    #expect(throws: Ledger.DeveloperModeRefusal.unknownApp) { try sample.ledger.checkOperatorGrant(to: app, for: 1) }
    let registration = try sample.register(SampleLedger.widgets("cup"), on: device, environment: .production)
    #expect(throws: Ledger.DeveloperModeRefusal.productionOnly) {
      try sample.ledger.checkOperatorGrant(to: app, for: 1)
    }
    let other = try sample.register(SampleLedger.widgets("cup"), on: sample.device(2), fresh: 2)
    try sample.ledger.checkOperatorGrant(to: app, for: 1)
    sample.commit()
    try sample.crash()
    try sample.ledger.checkOperatorGrant(to: app, for: 1)

    let again = try #require(sample.ledger.registrations.first { $0.token == other.token })
    sample.ledger.remove(again, at: sample.now, wall: sample.wall)
    #expect(throws: Ledger.DeveloperModeRefusal.productionOnly) {
      try sample.ledger.checkOperatorGrant(to: app, for: 1)
    }
    let first = try #require(sample.ledger.devices[registration.device.id])
    sample.ledger.leave(first, at: sample.now, wall: sample.wall)
    #expect(throws: Ledger.DeveloperModeRefusal.unknownApp) { try sample.ledger.checkOperatorGrant(to: app, for: 1) }
    try sample.ledger.checkOperatorGrant(to: .device(device.id), for: 1)
  }

  @Test("What it lets through is counted for the log, by the grant that did it: of two the device's own")
  func counted() throws {
    let registration = try sample.register(SampleLedger.widgets("cup", "pot"), on: device)
    let session = sample.attach(device)
    try grant(.app(registration.app.bundleID), by: .operatorRequest(uid: 7))
    sample.push(to: registration)
    let bySubject = { [sample] in
      Dictionary(uniqueKeysWithValues: sample.ledger.takeBypasses().map { ($0.key.subject, $0.value) })
    }
    #expect(bySubject() == [.app(registration.app.bundleID): 2])
    try grant(.device(device.id))
    sample.ledger.outputEmptied(session, of: device, at: sample.now)
    sample.push(to: registration)
    #expect(bySubject() == [.device(device.id): 2])
    #expect(bySubject().isEmpty)
  }

  @Test("Beginning, replacement and each kind of end are in the audit, and it survives a restart")
  func audited() throws {
    try grant(.device(device.id), for: 1000, by: .operatorRequest(uid: 7))
    try grant(.device(device.id), for: nil)
    let end = sample.now.advanced(byMilliseconds: sample.ledger.rules.developerMode.longest)
    #expect(sample.ledger.developerMode.standing(at: sample.now).map(\.until) == [end])
    sample.commit()
    try sample.crash()
    #expect(sample.ledger.developerMode.isStanding(.device(device.id), at: sample.now))
    sample.now = end
    #expect(!sample.ledger.developerMode.isStanding(.device(device.id), at: sample.now))
    sample.ledger.tidy(at: sample.now, wall: sample.wall)
    let app = DeveloperModeSubject.app(try SampleLedger.bundleID())
    try grant(app)
    #expect(
      sample.ledger.endDeveloperMode(
        of: app, who: "bob", why: "done", by: .operatorRequest(uid: 8), at: sample.now, wall: sample.wall))
    #expect(
      !sample.ledger.endDeveloperMode(
        of: app, who: "bob", why: "", by: .operatorRequest(uid: 8), at: sample.now, wall: sample.wall))
    let actions: [AuditEntry.Action] = [
      .developerModeOn, .developerModeOn, .developerModeEnded, .developerModeOn, .developerModeOff,
    ]
    #expect(sample.ledger.audit.remembered.map(\.action) == actions)
    #expect(sample.ledger.audit.remembered.map(\.uid) == [7, nil, nil, nil, 8])
    sample.commit()
    try sample.crash()
    #expect(sample.ledger.audit.remembered.map(\.action) == actions)
    #expect(sample.ledger.developerMode.grants.isEmpty)
  }
}
