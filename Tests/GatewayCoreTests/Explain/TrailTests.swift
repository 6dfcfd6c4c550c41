import BudgetThrottle
@testable import GatewayCore
import LedgerSimulation
import SeededRandom
import Testing
import TokenStore

/// Protects that what was decided lately can be told, in order and whole, at a bounded cost, also after a restart.
@Suite("Trail") struct TrailTests {
  private static func id(_ number: UInt64) -> PushID { SampleLedger.pushID(number) }

  private static func trail(_ rules: ExplainRules) -> Trail { Trail(rules: rules, epoch: 7) }

  private static func entries(_ trail: borrowing Trail) -> [TrailEntry] {
    trail.snapshot.flatMap { $0.content.entries }
  }

  private static func anyOutcome(_ random: inout SeededGenerator, at now: LedgerTime) -> Decision.Outcome {
    let event = EventID(epoch: random.oneIn(2) ? 7 : 1 + random.next() >> 1, sequence: random.next())
    let cause = RefreshDecision.Cause.allCases.randomElement(using: &random) ?? .away
    let end: LedgerTime =
      random.oneIn(3) ? .distantFuture : now.advanced(byMilliseconds: Int64.random(in: 0...9_000_000, using: &random))
    switch Int.random(in: 0..<11, using: &random) {
    case 0: return .marked
    case 1:
      let toll = RefreshDecision.Toll.allCases.randomElement(using: &random) ?? .charged
      return .handedOver(
        toll, event, grant: toll == .bypassed && random.oneIn(2) ? Int.random(in: 0...900, using: &random) : nil)
    case 2: return .sentAgain(event)
    case 3: return .deferred(cause, until: end)
    case 4: return .superseded(by: random.next() >> 1)
    case 5: return .dropped(cause)
    case 6: return .expired
    case 7: return .received
    case 8: return .duplicate
    case 9: return .removed
    default: return .rejected(until: end)
    }
  }

  @Test("Every decision and every former face comes back as it was", arguments: Seeds.usual(60))
  func everything(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let encoder = TrailEncoder(epoch: 7)
    var written: [TrailEntry] = []
    var spelled: [UInt32] = []
    var now = LedgerTime(milliseconds: Int64.random(in: -5...2_000_000_000_000, using: &random))
    var push = Decision.Push(number: 1, id: Self.id(1))
    var registration: UInt64 = 1
    for _ in 0..<40 {
      if random.oneIn(3) { now = now.advanced(byMilliseconds: Int64.random(in: -3...5000, using: &random)) }
      if random.oneIn(2) { registration = random.next() >> 1 }
      if random.oneIn(2) {
        let digits: UInt32 = [0, .max, UInt32(truncatingIfNeeded: random.next())].randomElement(using: &random) ?? 0
        push = Decision.Push(
          number: random.next() >> 1,
          id: PushID(CanonicalUUID(high: random.next(), low: random.next(), upperCaseDigits: digits)))
      }
      if random.oneIn(8) {
        let face = FormerFace(
          app: try SampleLedger.bundleID(), environment: random.oneIn(2) ? .production : .development,
          token: try SampleLedger.token(3, count: Int.random(in: 1...100, using: &random)),
          device: DeviceID(CanonicalUUID(high: random.next(), low: random.next())),
          widgets: SampleLedger.widgets("cup") + [Widget(kind: "ü", family: .accessoryInline, configuration: "c")])
        encoder.append(face, of: registration, at: now)
        written.append(.changed(registration: registration, from: face, at: now))
      } else {
        let decision = Decision(
          at: now, registration: registration, push: push, widgets: WidgetSet(bits: random.next()),
          outcome: Self.anyOutcome(&random, at: now))
        encoder.append(decision.outcome, push, decision.widgets, of: registration, at: now)
        written.append(.decision(decision))
        spelled.append(push.id.uuid.upperCaseDigits)
      }
    }
    let (count, last) = (encoder.count, encoder.last)
    let chunk = TrailChunk(position: 1, count: count, newest: last, bytes: encoder.take())
    #expect(chunk.content.epoch == 7)
    #expect(chunk.content.entries == written)
    let read = chunk.content.entries.compactMap { entry -> UInt32? in
      guard case .decision(let decision) = entry else { return nil }
      return decision.push.id.uuid.upperCaseDigits
    }
    #expect(read == spelled, "the client's spelling of an id")
  }

  @Test("Every damage is found, whatever byte is cut or changed, and traps on nothing", arguments: Seeds.usual(30))
  func damage(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let encoder = TrailEncoder(epoch: 7)
    for number in 0..<12 {
      encoder.append(
        Self.anyOutcome(&random, at: LedgerTime(milliseconds: 5)),
        Decision.Push(number: UInt64(number / 2), id: Self.id(UInt64(number / 2))), WidgetSet(bits: 5),
        of: UInt64(number / 3), at: LedgerTime(milliseconds: Int64(number)))
    }
    let bytes = encoder.take()
    for _ in 0..<200 {
      var broken = bytes
      broken[Int.random(in: broken.indices, using: &random)] ^= UInt8(1 << Int.random(in: 0..<8, using: &random))
      if random.oneIn(2) { broken.removeLast(Int.random(in: 0...broken.count, using: &random)) }
      let trail = Self.trail(ExplainRules())
      do throws(ByteReader.Damage) {
        try trail.restore(broken, at: 1) { _ in }
        #expect(!Self.entries(trail).isEmpty)
      } catch {
        #expect(Self.entries(trail).isEmpty)
      }
    }
  }

  @Test("It holds the newest, in steps of a commit, however many there were", arguments: [0, 3, 10, 11, 500])
  func count(total: Int) {
    let trail = Self.trail(ExplainRules(decisions: 10))
    for number in 0..<total {
      trail.append(
        .marked, Decision.Push(number: UInt64(number), id: Self.id(0)), WidgetSet(bits: 1), of: 1,
        at: LedgerTime(milliseconds: Int64(number)))
      #expect(!trail.close(at: UInt64(number + 1)).isEmpty)
    }
    let kept = Self.entries(trail).map(\.at.milliseconds)
    #expect(kept == (max(0, total - 10)..<max(0, total)).map { Int64($0) })
    #expect(trail.count == kept.count)
    #expect(trail.trimBelow <= UInt64(max(0, total - 10) + 1), "the store keeps what memory keeps")
    #expect(total < 100 || trail.trimBelow > UInt64(total - 20), "and not much more")
  }

  @Test("Entries that are large are bounded by their bytes")
  func bytes() throws {
    let trail = Self.trail(ExplainRules(decisions: 100))
    let widgets = (0..<64).map { Widget(kind: "kind\($0)", family: .systemSmall, configuration: "some text") }
    let face = FormerFace(
      app: try SampleLedger.bundleID(), environment: .development, token: try SampleLedger.token(1),
      device: DeviceID(CanonicalUUID(high: 1, low: 1)), widgets: widgets)
    for position in UInt64(1)...90 {
      trail.append(face, of: position, at: LedgerTime(milliseconds: 0))
      _ = trail.close(at: position)
    }
    #expect(trail.bytes <= 100 * Trail.bytesPerEntry)
    #expect(trail.count > 0)
  }

  @Test("What is past its retention goes, from the store too, also when nothing else is committed")
  func age() throws {
    var rules = LedgerRules()
    rules.explain.retention = 60_000
    let sample = SampleLedger(rules)
    let registration = try sample.register(SampleLedger.widgets("cup"), on: sample.device())
    sample.push(to: registration)
    sample.commit()
    #expect(sample.store.trail.count == 1)
    sample.pass(60_000)
    sample.ledger.tidy(at: sample.now, wall: sample.wall)
    #expect(sample.ledger.trail.count == 2, "a mark, and what it waits for")
    sample.pass(1)
    sample.ledger.tidy(at: sample.now, wall: sample.wall)
    #expect(sample.ledger.trail.count == 0)
    sample.commit()
    #expect(sample.store.trail.isEmpty)
  }

  @Test("It makes no commit of its own, until much has gathered or the end has come")
  func alone() throws {
    let sample = SampleLedger()
    let registration = try sample.register(SampleLedger.widgets("cup"), on: sample.device())
    sample.push(to: registration, id: 5)
    sample.commit()
    sample.push(to: registration, id: 5)
    let clock = StoredClock(ledger: 0, boot: 0, wall: 0, bootID: "boot")
    #expect(sample.ledger.takeBatch(clock: clock) == nil, "the same push again changes nothing")
    let last = try #require(sample.ledger.takeBatch(clock: clock, isLast: true))
    #expect(!last.trail.isEmpty)
    #expect(sample.ledger.takeBatch(clock: clock, isLast: true) == nil)
    sample.ledger.rules.pushesPerTokenPerMinute = 0
    for _ in 0..<20_000 { sample.push(to: registration, id: 5) }
    #expect(sample.ledger.takeBatch(clock: clock) != nil)
  }

  @Test("Production is kept only where it is asked for, development always", arguments: [true, false])
  func production(isOn: Bool) throws {
    var rules = LedgerRules()
    rules.explain.production = isOn
    let sample = SampleLedger(rules)
    let device = sample.device()
    let tested = try sample.register(SampleLedger.widgets("cup"), on: device)
    let live = try sample.register(
      SampleLedger.widgets("cup"), on: device, app: "tea", environment: .production, fresh: 2)
    sample.push(to: tested)
    sample.push(to: live)
    let search = TrailSearch(sample.ledger.trail.snapshot)
    #expect(search.pushes(.registrations([tested.id]), limit: 9).count == 1)
    #expect(search.pushes(.registrations([live.id]), limit: 9).count == (isOn ? 1 : 0))
  }

  @Test("A push that is deferred costs about forty bytes")
  func size() throws {
    let sample = SampleLedger()
    let registration = try sample.register(SampleLedger.widgets("cup", "pot"), on: sample.device())
    for _ in 0..<1000 { sample.push(to: registration) }
    // Of the second and all others it is also said that they took the place of the one before.
    let bytes = sample.ledger.trail.snapshot.reduce(0) { $0 + $1.bytes.count }
    #expect(bytes < 70 * 1000)
  }
}
