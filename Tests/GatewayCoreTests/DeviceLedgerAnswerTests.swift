import BudgetThrottle
import GatewayCore
import Testing
import TokenStore

/// Protects that devices are told what the ledger really holds: budgets, state and decisions, in wall time.
@Suite("What the ledger tells a device") struct DeviceLedgerAnswerTests {
  private let ledger: Ledger
  private let device: DeviceState
  private let app: BundleID
  private let token: DeviceToken
  private let start = LedgerTime(milliseconds: 5_000_000)
  private let wall = UnixTime(seconds: 1_772_357_400)

  init() throws {
    var rules = LedgerRules()
    rules.budget.standard.refreshesPerDay = 50
    ledger = Ledger(rules: rules, epoch: 7)
    app = try #require(BundleID("com.example.caffeine"))
    token = try #require(DeviceToken(bytes: [1, 2, 3]))
    device = ledger.enrol(
      id: DeviceRouteTests.device, keyHash: [], platform: .iOS, os: "26",
      scope: DeviceScope(keyFingerprint: 1, bundleIDs: [], environments: []), at: start)
  }

  @Test("A full budget has no next token; a spent token comes back at a date of the wall clock")
  func budgets() throws {
    let registration = try register()
    let fresh = try #require(ledger.answer(for: registration, at: clock(0)).widgets.first?.budget)
    #expect(fresh == .init(limit: 50, remaining: 4, next: nil))

    ledger.attach(device, as: SessionID(rawValue: 1), last: nil, at: start)
    try push(1, at: 0)
    let spent = try #require(ledger.answer(for: registration, at: clock(1000)).widgets.first?.budget)
    #expect(spent.remaining == 3)
    // 46 tokens a day are earned: 1878.26 s each.
    #expect(spent.next == UnixTime(milliseconds: wall.milliseconds + 1_878_261))
    #expect(ledger.answer(for: registration, at: clock(1_878_261)).widgets.first?.budget?.remaining == 4)
  }

  @Test("Where budgets are off there is none to tell of")
  func off() throws {
    let registration = try register()
    var rules = LedgerRules()
    rules.budget.standard.mode = .off
    ledger.change(rules, at: start)
    #expect(ledger.answer(for: registration, at: clock(0)).widgets.map(\.budget) == [nil])
  }

  @Test("The state tells what the ledger took, and developer mode with its end")
  func state() throws {
    #expect(ledger.stateAnswer(for: device, at: clock(0)) == DeviceStateAnswer())
    let request = DeviceStateRequest(foreground: .set(app), asleep: true)
    ledger.heard(request.said, from: device, at: start)
    #expect(ledger.stateAnswer(for: device, at: clock(0)) == DeviceStateAnswer(), "without a stream nothing lasts")

    ledger.attach(device, as: SessionID(rawValue: 1), last: nil, at: start)
    ledger.heard(request.said, from: device, at: start)
    try ledger.grantDeveloperMode(
      to: .device(device.id), for: 60_000, who: "device", why: "", granter: .deviceSwitch, at: start, wall: wall)
    #expect(
      ledger.stateAnswer(for: device, at: clock(59_999))
        == DeviceStateAnswer(
          foreground: app, asleep: true, developerModeUntil: UnixTime(seconds: wall.seconds + 60)))
    #expect(ledger.stateAnswer(for: device, at: clock(60_000)).developerModeUntil == nil)
  }

  @Test("Decisions come newest first, as many as asked, and only the device's own")
  func explanation() throws {
    _ = try register()
    let other = ledger.enrol(
      id: DeviceID(CanonicalUUID(high: 9, low: 9)), keyHash: [], platform: .iOS, os: "26", scope: device.scope,
      at: start)
    ledger.attach(device, as: SessionID(rawValue: 1), last: nil, at: start)
    try push(1, at: 0)
    ledger.receive(EventID(epoch: 7, sequence: 1), from: device, at: clock(10).now)
    ledger.detach(device, session: SessionID(rawValue: 1))
    try push(2, at: 20)

    let all = explain(device, last: 200)
    #expect(all.map(\.outcome) == [.deferred, .marked, .received, .sent, .marked])
    #expect(all.map(\.push) == [2, 2, 1, 1, 1].map(pushID))
    #expect(all.first?.waits == .away)
    #expect(all.first?.until == nil)
    #expect(all.first?.time == UnixTime(milliseconds: wall.milliseconds + 20))
    #expect(all.map(\.event) == [nil, nil, nil, EventID(epoch: 7, sequence: 1), nil])
    #expect(all.allSatisfy { $0.widgets == [Widget(kind: "caffeine", family: .systemSmall)] && $0.app == app })
    #expect(explain(device, last: 2) == Array(all.prefix(2)))
    #expect(explain(other, last: 20).isEmpty)
  }

  private func explain(_ device: DeviceState, last: Int) -> [DeviceDecision] {
    guard var search = ledger.search(for: device, last: last) else { return [] }
    while true {
      var entries = 1
      if let told = ledger.advance(&search, entries: &entries) {
        return ledger.explanation(told, for: device, at: clock(1000)).decisions
      }
    }
  }

  @Test("A search that goes on while pushes come tells none of them, and nothing twice")
  func searchInSlices() throws {
    _ = try register()
    for number in UInt64(1)...5 {
      try push(number, at: Int64(number))
      _ = ledger.takeBatch(clock: StoredClock(ledger: 0, boot: 0, wall: 0, bootID: ""))
    }
    try push(6, at: 6)
    let wanted = explain(device, last: 200)
    var search = try #require(ledger.search(for: device, last: 200))
    for number in UInt64(7)...60 {
      var entries = 1
      if let told = ledger.advance(&search, entries: &entries) {
        #expect(ledger.explanation(told, for: device, at: clock(1000)).decisions == wanted)
        return
      }
      try push(number, at: Int64(number))
      _ = ledger.takeBatch(clock: StoredClock(ledger: 0, boot: 0, wall: 0, bootID: ""))
    }
    Issue.record("the search does not end")
  }

  @Test("Wall time is reckoned from one reading, and saturates")
  func clockReading() {
    let reading = LedgerClockReading(now: LedgerTime(milliseconds: 1000), wall: UnixTime(milliseconds: 50_000))
    #expect(reading.wallTime(of: LedgerTime(milliseconds: 1500)) == UnixTime(milliseconds: 50_500))
    #expect(reading.wallTime(of: LedgerTime(milliseconds: 0)) == UnixTime(milliseconds: 49_000))
    #expect(reading.wallTime(of: .distantFuture) == UnixTime(milliseconds: .max))
    let late = LedgerClockReading(now: LedgerTime(milliseconds: 1000), wall: UnixTime(milliseconds: -5000))
    #expect(late.wallTime(of: .distantPast) == UnixTime(milliseconds: .min))
  }

  private func clock(_ later: Int64) -> LedgerClockReading {
    LedgerClockReading(
      now: start.advanced(byMilliseconds: later), wall: UnixTime(milliseconds: wall.milliseconds + later))
  }

  private func register() throws -> RegistrationState {
    try ledger.register(
      Ledger.RegistrationChange(
        bundleID: app, environment: .development, token: token, freshToken: token,
        widgets: [Widget(kind: "caffeine", family: .systemSmall)]), for: device, at: start, wall: wall)
  }

  private func pushID(_ number: UInt64) -> PushID { PushID(CanonicalUUID(high: 0, low: number)) }

  private func push(_ number: UInt64, at later: Int64) throws {
    let verdict = ledger.accept(
      IncomingPush(id: pushID(number), storage: .until(.distantFuture)), for: token, in: .development, bundleID: app,
      at: start.advanced(byMilliseconds: later))
    guard case .accepted = verdict else {
      Issue.record("push \(number): \(verdict)")
      return
    }
  }
}
