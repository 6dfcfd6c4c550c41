import BudgetThrottle
@testable import GatewayCore
import Testing
import TokenStore

/// Protects that a push is found by each of its names, and told with the names that things had then.
@Suite("Search in the trail") struct TrailSearchTests {
  private let sample = SampleLedger()

  private var search: TrailSearch { TrailSearch(sample.ledger.trail.snapshot) }

  private func pushes(to token: DeviceToken) -> [TrailSearch.Push] {
    search.pushes(
      .token(token, holders: Set(sample.ledger.registrations(for: token).map(\.id))), limit: 100)
  }

  private func outcomes(_ push: TrailSearch.Push?) -> [Decision.Outcome] { push?.told.map(\.decision.outcome) ?? [] }

  @Test("A push is told from its mark to its receipt, over a restart, whichever of its three names is asked for")
  func wholeStory() throws {
    let device = sample.device()
    let registration = try sample.register(SampleLedger.widgets("cup"), on: device)
    sample.push(to: registration, id: 5)
    let unique = PushUniqueID(epoch: sample.ledger.epoch, number: sample.ledger.nextNumber - 1)
    sample.commit()
    try sample.crash()
    let again = try #require(sample.ledger.devices[device.id])
    sample.attach(again)
    let event = try #require(sample.refreshes().first?.id)
    sample.pass(250)
    sample.ledger.receive(event, from: again, at: sample.now)
    sample.commit()
    try sample.crash()

    let byID = try #require(search.pushes(.push(SampleLedger.pushID(5).uuid), limit: 9).first)
    #expect(
      outcomes(byID) == [
        .marked, .deferred(.away, until: .distantFuture), .handedOver(.charged, event), .received,
      ])
    #expect(byID.told.map(\.decision.at).last == sample.now)
    #expect(byID.uniqueID == unique)
    let parsed = try #require(PushUniqueID(unique.uuid))
    #expect(search.push(named: parsed) == SampleLedger.pushID(5))
    #expect(search.push(named: PushUniqueID(epoch: unique.epoch + 1, number: unique.number)) == nil)
    #expect(pushes(to: registration.token).map(\.id) == [byID.id])
    #expect(byID.told.allSatisfy { $0.face == nil }, "the registration is as it was")
  }

  @Test("A push whose place was taken names the one that took it; the same id again is told with the first")
  func superseded() throws {
    let registration = try sample.register(SampleLedger.widgets("cup", "pot"), on: sample.device())
    sample.push(to: registration, id: 5)
    sample.push(to: registration, id: 6)
    sample.push(to: registration, id: 6)
    let found = pushes(to: registration.token)
    #expect(found.map(\.id) == [SampleLedger.pushID(6), SampleLedger.pushID(5)], "newest first")
    #expect(outcomes(found.last).last == .superseded(by: sample.ledger.nextNumber - 2))
    #expect(found.last?.told.last?.superseder == SampleLedger.pushID(6))
    #expect(outcomes(found.first).last == .duplicate)
    let repeated = PushUniqueID(epoch: sample.ledger.epoch, number: sample.ledger.nextNumber - 1)
    #expect(search.push(named: repeated) == SampleLedger.pushID(6), "each answer has a name of its own")
    #expect(pushes(to: registration.token).first?.uniqueID?.number == sample.ledger.nextNumber - 2)
  }

  @Test("Decisions are told with the widgets and the token of their time, also of a device that has left")
  func formerFaces() throws {
    let device = sample.device()
    let first = try SampleLedger.token(1)
    let registration = try sample.register(SampleLedger.widgets("cup", "pot"), on: device)
    sample.push(to: registration, id: 5)
    try sample.register(SampleLedger.widgets("pot"), on: device)
    let second = try SampleLedger.token(9)
    try sample.register(SampleLedger.widgets("pot"), on: device, token: second)
    sample.push(to: registration, id: 6)
    sample.commit()
    try sample.crash()
    let again = try #require(sample.ledger.devices[device.id])
    #expect(sample.ledger.registrations.first?.isInTrail == true)

    let old = try #require(pushes(to: first).first)
    #expect(pushes(to: first).map(\.id) == [SampleLedger.pushID(5)])
    #expect(pushes(to: second).map(\.id).contains(SampleLedger.pushID(6)))
    let face = try #require(old.told.first?.face)
    #expect(face.widgets.map(\.kind) == ["cup", "pot"])
    #expect(face.token == first)

    sample.ledger.leave(again, at: sample.now, wall: sample.wall)
    #expect(sample.ledger.registrations(for: second).isEmpty)
    let last = try #require(pushes(to: second).first { $0.id == SampleLedger.pushID(6) })
    #expect(last.told.allSatisfy { $0.face?.widgets.map(\.kind) == ["pot"] })
    #expect(outcomes(last).last == .removed)
  }

  @Test("A change of a registration that no push has reached is not worth a word")
  func silent() throws {
    let device = sample.device()
    try sample.register(SampleLedger.widgets("cup"), on: device)
    try sample.register(SampleLedger.widgets("pot"), on: device)
    #expect(sample.ledger.trail.snapshot.isEmpty)
  }

  @Test("A refresh that developer mode let through says by whose grant, also when that is over")
  func bypass() throws {
    let device = sample.device()
    let registration = try sample.register(SampleLedger.widgets("cup"), on: device)
    try sample.ledger.grantDeveloperMode(
      to: .device(device.id), for: 1000, who: "ann", why: "first", granter: .operatorRequest(uid: 7), at: sample.now,
      wall: sample.wall)
    try sample.ledger.grantDeveloperMode(
      to: .device(device.id), for: 2000, who: "ann", why: "second", granter: .operatorRequest(uid: 7), at: sample.now,
      wall: sample.wall)
    sample.commit()
    try sample.crash()
    let again = try #require(sample.ledger.devices[device.id])
    sample.attach(again)
    sample.push(to: try #require(sample.ledger.registrations(for: registration.token).first), id: 5)
    sample.pass(2000)
    sample.ledger.tidy(at: sample.now, wall: sample.wall)
    let told = try #require(pushes(to: registration.token).first)
    guard case .handedOver(.bypassed, _, grant: let place?) = outcomes(told).last else {
      Issue.record("not bypassed: \(outcomes(told))")
      return
    }
    #expect(sample.ledger.audit[place]?.why == "second")
  }

  @Test("Only as many as are asked for, the newest, each whole")
  func limited() throws {
    let registration = try sample.register(SampleLedger.widgets("cup"), on: sample.device())
    for id in UInt64(1)...9 { sample.push(to: registration, id: id) }
    let found = search.pushes(.everything, limit: 3)
    #expect(found.map(\.id) == [9, 8, 7].map { SampleLedger.pushID($0) })
    #expect(found.last.map { outcomes($0).count } == 3, "marked, deferred, superseded")
    #expect(search.decisions(.registrations([registration.id]), last: 2).count == 2)
  }

  @Test(
    "A unique id is a UUID of version 8 that gives epoch and number back", arguments: [0, 1, 4095, UInt64.max >> 1])
  func uniqueID(number: UInt64) throws {
    let id = PushUniqueID(epoch: 1_796_007_662, number: number)
    let text = id.uuid.description
    #expect(text.dropFirst(14).first == "8")
    let parsed = try #require(CanonicalUUID(text))
    #expect(PushUniqueID(parsed) == id)
    #expect(PushUniqueID(CanonicalUUID(randomHigh: .max, randomLow: number, isUpperCase: false)) == nil)
  }
}
