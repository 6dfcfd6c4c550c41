import BudgetThrottle
@testable import GatewayCore
import Testing
import TokenStore

/// Protects: one request reaches every registration of its app exactly once, and its counts tell the truth.
@Suite("A fan-out marks every registration of its app once, and its counts add up")
struct FanOutTests {
  private let sample = SampleLedger()

  private func order(
    id: UInt64 = 1, team: String = "TEAM", app: String = "caffeine", _ filter: FanOutFilter = FanOutFilter(),
    storage: IncomingPush.Storage = .until(.distantFuture)
  ) throws -> FanOutOrder {
    FanOutOrder(
      team: team, bundleID: try SampleLedger.bundleID(app), environment: .development,
      push: IncomingPush(id: SampleLedger.pushID(id), storage: storage), filter: filter)
  }

  @discardableResult
  private func begin(_ order: FanOutOrder, id: UInt64 = 1) throws -> FanOut {
    switch sample.ledger.begin(order, id: CanonicalUUID(high: 8, low: id), at: sample.now) {
    case .accepted(let fanOut), .known(let fanOut): return fanOut
    case .tooMany:
      Issue.record("there is no room for a fan-out")
      throw CancellationError()
    }
  }

  private func finish() { while sample.ledger.advanceFanOuts(at: sample.now, limit: 4) {} }

  /// Registrations of one app, a device each.
  private func registrations(_ count: UInt8, from first: UInt8 = 1, app: String = "caffeine") throws {
    for number in first..<first + count {
      try sample.register(
        SampleLedger.widgets("cups", "beans"), on: sample.device(UInt64(number)), app: app, fresh: number)
    }
  }

  private func waiting(for fanOut: FanOut) -> Int {
    sample.ledger.registrations.reduce(0) { sum, registration in
      sum + registration.states.filter { $0.mark?.number == fanOut.number }.count
    }
  }

  @Test("It marks the registrations of its app and no others")
  func marksItsApp() throws {
    try registrations(5)
    try registrations(3, from: 100, app: "tea")
    let fanOut = try begin(order())
    finish()
    #expect(fanOut.state == .done)
    #expect(fanOut.counts.matched == 10)
    #expect(fanOut.counts.marked == 10)
    #expect(fanOut.counts.deferred == 10)
    #expect(waiting(for: fanOut) == 10)
    #expect(
      sample.ledger.registrations.filter { $0.app.bundleID.description.hasSuffix("tea") }.allSatisfy {
        $0.waitingCount == 0
      })
  }

  @Test(
    "A filter leaves out what does not fit",
    arguments: [
      (FanOutFilter(kinds: ["cups"]), 3), (FanOutFilter(kinds: ["tea"]), 0),
      (FanOutFilter(families: [.systemSmall]), 6), (FanOutFilter(families: [.systemLarge]), 0),
      (FanOutFilter(kinds: ["cups"], families: [.systemLarge]), 0), (FanOutFilter(platforms: [.iOS]), 6),
      (FanOutFilter(platforms: [.watchOS]), 0),
    ])
  func filters(_ filter: FanOutFilter, marked: Int) throws {
    try registrations(3)
    let fanOut = try begin(order(filter))
    finish()
    #expect(fanOut.counts.marked == marked)
    #expect(fanOut.counts.matched == marked)
  }

  @Test("A widget that has seen a newer push is skipped")
  func skipsNewer() throws {
    try registrations(2)
    let fanOut = try begin(order())
    let first = try #require(sample.ledger.registrations.first)
    sample.push(to: first)
    finish()
    #expect(fanOut.counts.skipped == 2)
    #expect(fanOut.counts.marked == 2)
    #expect(first.states.allSatisfy { $0.mark?.number != fanOut.number })
  }

  @Test("A registration that came after it is left alone")
  func leavesLater() throws {
    try registrations(2)
    let fanOut = try begin(order())
    try registrations(1, from: 50)
    finish()
    #expect(fanOut.counts.matched == 4)
  }

  @Test("That holds over a restart, also where those that were there have left")
  func leavesLaterOnesAfterRestart() throws {
    try registrations(2)
    let fanOut = try begin(order())
    let last = try #require(sample.ledger.registrations.first { $0.id == 2 })
    sample.ledger.leave(last.device, at: sample.now, wall: sample.wall)
    sample.commit()
    try sample.crash()
    try registrations(1, from: 50)
    finish()
    #expect(sample.ledger.fanOuts.find(fanOut.id)?.counts.matched == 2)
  }

  @Test("What becomes of its marks is counted: sent, received, superseded, removed and expired")
  func countsFates() throws {
    try registrations(5)
    let all = Array(sample.ledger.registrations)
    let session = sample.attach(all[0].device)
    let fanOut = try begin(order(storage: .until(sample.now.advanced(byMilliseconds: 60_000))))
    finish()
    #expect(fanOut.counts.sent == 2)
    #expect(fanOut.counts.received == 0)
    let event = try #require(sample.refreshes().first)
    sample.ledger.receive(event.id, from: all[0].device, at: sample.now)
    #expect(fanOut.counts.received == 2)
    sample.ledger.detach(all[0].device, session: session)

    sample.push(to: all[1])
    #expect(fanOut.counts.superseded == 2)
    sample.ledger.remove(all[2], at: sample.now, wall: sample.wall)
    #expect(fanOut.counts.removed == 2)
    sample.pass(60_000)
    sample.attach(all[3].device)
    #expect(fanOut.counts.expired == 2)
    #expect(fanOut.counts.deferred == 2)
    #expect(waiting(for: fanOut) == 2)
    #expect(fanOut.counts.marked == 10)
  }

  @Test("With expiration 0 who is away is dropped, and an older mark stays")
  func dropsOnce() throws {
    try registrations(2)
    let all = Array(sample.ledger.registrations)
    sample.push(to: all[1])
    sample.attach(all[0].device)
    let fanOut = try begin(order(storage: .once))
    finish()
    #expect(fanOut.counts.sent == 2)
    #expect(fanOut.counts.dropped == 2)
    #expect(fanOut.counts.deferred == 0)
    #expect(all[1].waitingCount == 2)
  }

  @Test("The same apns-id of the same team and app is the same fan-out; of another team it is not")
  func isIdempotent() throws {
    try registrations(1)
    let first = try begin(order())
    finish()
    #expect(try begin(order(), id: 2) === first)
    #expect(try begin(order(team: "OTHER"), id: 3) !== first)
    sample.commit()
    try sample.crash()
    #expect(try begin(order(), id: 4).id == first.id)
  }

  @Test("Whenever the process ends, each registration is marked exactly once", arguments: 0..<6)
  func survivesCrash(slices: Int) throws {
    try registrations(9)
    sample.attach(try #require(sample.ledger.registrations.first).device)
    try begin(order())
    sample.commit()
    for slice in 0...slices {
      _ = sample.ledger.advanceFanOuts(at: sample.now, limit: 4)
      // The last slice is lost with the process.
      if slice < slices { sample.commit() }
    }
    try sample.crash()
    let fanOut = try #require(sample.ledger.fanOuts.all.first)
    finish()
    sample.commit()
    #expect(fanOut.state == .done)
    #expect(fanOut.counts.matched == 18)
    #expect(fanOut.counts.marked == 18)
    #expect(fanOut.counts.skipped == 0)
    #expect(waiting(for: fanOut) == fanOut.counts.deferred)
    #expect(fanOut.counts.sent + fanOut.counts.deferred == 18)
    for registration in sample.ledger.registrations {
      #expect(registration.states.allSatisfy { $0.lastNumber == fanOut.number })
    }
    try sample.crash()
    #expect(sample.ledger.fanOuts.all.first?.counts == fanOut.counts)
    #expect(sample.ledger.fanOuts.runningCount == 0)
  }

  @Test("A slice ends after so many widgets, however they are spread over registrations")
  func sliceIsBoundedByWidgets() throws {
    let many = (0..<64).map { Widget(kind: "cup \($0)", family: .systemSmall) }
    for number: UInt8 in 1...3 { try sample.register(many, on: sample.device(UInt64(number)), fresh: number) }
    let fanOut = try begin(order())
    for marked in [64, 128] {
      #expect(sample.ledger.advanceFanOuts(at: sample.now, limit: 8))
      #expect(fanOut.counts.marked == marked)
    }
  }

  @Test("A slice ends also where no widget is meant, the sooner the more kinds are asked for")
  func sliceIsBoundedByComparisons() throws {
    let many = (0..<64).map { Widget(kind: "cup \($0)", family: .systemSmall) }
    for number: UInt8 in 1...20 { try sample.register(many, on: sample.device(UInt64(number)), fresh: number) }
    var order = try order()
    order.filter.kinds = (0..<64).map { "none \($0)" }
    let fanOut = try begin(order)
    #expect(sample.ledger.advanceFanOuts(at: sample.now))
    #expect(fanOut.passed < 4)
    finish()
    #expect(fanOut.state == .done)
    #expect(fanOut.counts.matched == 0)
  }

  @Test("A cancelled one marks no more, and what it marked stays")
  func cancels() throws {
    try registrations(6)
    let fanOut = try begin(order())
    _ = sample.ledger.advanceFanOuts(at: sample.now, limit: 4)
    sample.ledger.cancel(fanOut)
    finish()
    #expect(fanOut.state == .cancelled)
    #expect(fanOut.percent < 100, "it says how far it came")
    #expect(fanOut.counts.marked == 4)
    #expect(waiting(for: fanOut) == 4)
  }

  @Test("Apps take turns, and the fan-outs of one app follow one another")
  func takesTurns() throws {
    try registrations(4)
    try registrations(4, from: 100, app: "tea")
    let first = try begin(order(id: 1), id: 1)
    let second = try begin(order(id: 2), id: 2)
    let tea = try begin(order(id: 3, app: "tea"), id: 3)
    for _ in 0..<2 { _ = sample.ledger.advanceFanOuts(at: sample.now, limit: 4) }
    #expect(first.counts.marked == 4)
    #expect(second.counts.marked == 0)
    #expect(tea.counts.marked == 4)
    finish()
    #expect(second.counts.marked == 8)
    #expect(first.counts.superseded == 8)
  }

  @Test("So many are remembered: the oldest that ended makes room, and running ones never do")
  func isBounded() throws {
    try registrations(1)
    for id in 1...UInt64(FanOutTable.capacity) { try begin(order(id: id), id: id) }
    guard case .tooMany = sample.ledger.begin(try order(id: 9_999), id: CanonicalUUID(high: 9, low: 9), at: sample.now)
    else {
      Issue.record("one more ran than can be remembered")
      return
    }
    finish()
    try begin(order(id: 10_000), id: 10_000)
    #expect(sample.ledger.fanOuts.count == FanOutTable.capacity)
    #expect(sample.ledger.fanOuts.find(CanonicalUUID(high: 8, low: 1)) == nil)
    sample.commit()
    try sample.crash()
    #expect(sample.ledger.fanOuts.count == FanOutTable.capacity)
  }

  @Test("It is forgotten when marks of its time are dead")
  func isForgotten() throws {
    try registrations(1)
    try begin(order())
    finish()
    sample.pass(sample.ledger.rules.retention)
    sample.ledger.tidy(at: sample.now, wall: sample.wall)
    #expect(sample.ledger.fanOuts.count == 0)
    sample.commit()
    try sample.crash()
    #expect(sample.ledger.fanOuts.count == 0)
  }
}
