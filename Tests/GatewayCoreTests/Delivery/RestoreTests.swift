import BudgetThrottle
@testable import GatewayCore
import LedgerSimulation
import SeededRandom
import Testing
import TokenStore

/// Protects what makes a start with a million registrations quick: what rows share is read once, and must still be
/// each row's own.
@Suite("Reading a store back") struct RestoreTests {
  private let sample = SampleLedger()

  @Test("Equal bytes give the value that was made of them; others never do", arguments: Seeds.usual(20))
  func shared(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let values = SharedValues<[UInt8]>()
    var made = 0
    for _ in 0..<20_000 {
      // More different ones than there are places, and many that differ in length or in one byte only.
      let bytes =
        [UInt8](repeating: UInt8.random(in: 0...3, using: &random), count: .random(in: 0...40, using: &random))
        + (random.oneIn(3) ? [UInt8.random(in: 0...255, using: &random)] : [])
      let found = try bytes.withUnsafeBytes { lent in
        try values.value(of: lent) { () throws(ByteReader.Damage) in
          made += 1
          return bytes
        }
      }
      #expect(found == bytes)
    }
    #expect(made < 15_000)
  }

  @Test("What cannot be read is not kept, and is damage each time")
  func unreadable() {
    let values = SharedValues<Int>()
    let bytes: [UInt8] = [1, 2, 3]
    for _ in 0..<2 {
      #expect(throws: ByteReader.Damage.self) {
        try bytes.withUnsafeBytes { lent in
          try values.value(of: lent) { () throws(ByteReader.Damage) in throw ByteReader(lent).damage("nothing") }
        }
      }
    }
  }

  @Test(
    "Rows are found by their ids, whatever gaps there are and in whatever order they are asked for",
    arguments: Seeds.usual(20))
  func order(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var rows = RowOrder<UInt64>()
    var ids: [UInt64] = []
    var next = UInt64.random(in: 0...5, using: &random)
    for _ in 0..<Int.random(in: 0...300, using: &random) {
      ids.append(next)
      let isTaken = rows.append(next, id: next)
      #expect(isTaken)
      next += random.oneIn(4) ? .random(in: 1...9, using: &random) : 1
    }
    if let last = ids.last {
      let isTaken = rows.append(0, id: last)
      #expect(!isTaken)
    }
    for id in ids + (0...next).shuffled(using: &random) + [.max] {
      let found = rows.find(id)
      #expect(found.map { rows.values[$0] } == (ids.contains(id) ? id : nil))
    }
  }

  @Test("Apps, lists and policies that alternate are each registration's own again, and counted by app")
  func alternating() throws {
    var rules = LedgerRules()
    rules.budget.overrides = [
      BudgetPolicySet.Override(kind: "cup"),
      BudgetPolicySet.Override(bundleID: "com.example.tea", family: "systemSmall"),
    ]
    rules.budget.overrides[0].refreshesPerDay = 3
    rules.budget.overrides[1].refreshesPerDay = 7
    let sample = SampleLedger(rules)
    let lists = [
      SampleLedger.widgets("cup"), SampleLedger.widgets("pot"), SampleLedger.widgets("cup", "pot"),
      [Widget(kind: "cup", family: .systemSmall, configuration: "")],
      [Widget(kind: "pot", family: .systemLarge, configuration: "pot"), Widget(kind: "cup", family: .systemLarge)], [],
    ]
    for number in UInt64(1)...60 {
      let device = sample.device(number)
      for (place, app) in ["caffeine", "tea"].enumerated() where number % 5 != 0 || place == 0 {
        let registration = try sample.register(
          lists[Int(number + UInt64(place)) % lists.count], on: device, app: app,
          environment: number % 3 == 0 ? .production : .development,
          token: SampleLedger.token(
            UInt8(2 * number) + UInt8(place)))
        if number % 7 == 0 { sample.ledger.remove(registration, at: sample.now, wall: sample.wall) }
      }
    }
    sample.commit()
    let before = sample.ledger
    try sample.crash()
    let after = sample.ledger
    #expect(after !== before && after.registrations.count == 108)
    for (old, new) in zip(before.registrations, after.registrations) {
      #expect(new.app.bundleID == old.app.bundleID && new.widgets == old.widgets && new.token == old.token)
      #expect(new.states.map { after.policy($0.policy) } == old.states.map { before.policy($0.policy) })
      #expect(new.left.map { after.policy($0.policy) } == old.left.map { before.policy($0.policy) })
      #expect(after.devices[new.device.id] === new.device && new.device.registrations.contains { $0 === new })
    }
    #expect(after.presence.count == 2)
    for (bundleID, presence) in before.presence {
      let restored = try #require(after.presence[bundleID])
      #expect(restored.known == presence.known)
      #expect(restored.inDevelopment == presence.inDevelopment && restored.inProduction == presence.inProduction)
    }
  }

  @Test("Room that was made beforehand changes nothing")
  func room() throws {
    for number in UInt64(1)...40 { try sample.register([], on: sample.device(number), fresh: UInt8(number)) }
    sample.commit()
    let ledger = Ledger(rules: LedgerRules(), epoch: 8, following: sample.store.sequence)
    var restore = Ledger.Restore(into: ledger)
    restore.makeRoom(devices: 1000, registrations: 1000)
    for table in Ledger.restoreOrder {
      for (id, row) in (sample.store.rows[table] ?? [:]).sorted(by: { $0.key < $1.key }) {
        try (row.value ?? []).withUnsafeBytes { try restore.row(table, id: id, asOf: row.asOf, $0) }
      }
    }
    restore.finish(at: sample.now)
    #expect(ledger.registrations.count == 40 && ledger.devices.count == 40 && ledger.index.count == 40)
    for registration in ledger.registrations {
      #expect(ledger.index.find(registration.token, in: registration.environment) === registration)
    }
  }

  @Test("Rows out of their order are damage, and so are two that name one token")
  func contradictions() throws {
    let first = try sample.register([], on: sample.device(1), fresh: 1)
    let second = try sample.register([], on: sample.device(2), fresh: 2)
    sample.commit()
    let rows = try [first.id, second.id].map { try #require(sample.store.rows[.registration]?[$0]?.value) }
    let devices = try [UInt64(1), 2].map { try #require(sample.store.rows[.device]?[$0]?.value) }
    func damage(_ rows: [(StoredRow.Table, UInt64, [UInt8])]) -> String {
      var restore = Ledger.Restore(into: Ledger(rules: LedgerRules(), epoch: 8))
      do {
        for (table, id, bytes) in rows { try bytes.withUnsafeBytes { try restore.row(table, id: id, asOf: 1, $0) } }
        return ""
      } catch {
        return "\(error)"
      }
    }
    #expect(damage([(.device, 2, devices[1]), (.device, 1, devices[0])]).contains("in the order of their ids"))
    let both: [(StoredRow.Table, UInt64, [UInt8])] = [(.device, 1, devices[0]), (.device, 2, devices[1])]
    #expect(damage(both + [(.registration, 2, rows[1]), (.registration, 1, rows[0])]).contains("order of their ids"))
    #expect(damage(both + [(.registration, 1, rows[0]), (.registration, 2, rows[1])]) == "")
    var stolen = rows[1]
    let place = try #require(stolen.indices.dropLast(32).first { stolen[$0..<$0 + 32].allSatisfy { $0 == 2 } })
    stolen.replaceSubrange(place..<place + 32, with: [UInt8](repeating: 1, count: 32))
    #expect(damage(both + [(.registration, 1, rows[0]), (.registration, 2, stolen)]).contains("a token that no other"))
  }
}
