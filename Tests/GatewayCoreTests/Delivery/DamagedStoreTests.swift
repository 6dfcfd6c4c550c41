import BudgetThrottle
@testable import GatewayCore
import LedgerSimulation
import SeededRandom
import Testing
import TokenStore

/// Protects the start: a damaged store is named, never trapped on, never served over as if it were another state.
@Suite("A damaged store") struct DamagedStoreTests {
  /// Everything that a store may hold: rows of all tables, and a journal with all kinds of records.
  private static func busyStore() throws -> StoreModel {
    var rules = LedgerRules()
    rules.budget.overrides = [BudgetPolicySet.Override(kind: "cup")]
    let sample = SampleLedger(rules)
    sample.ledger.change(LedgerRules(), at: sample.now)
    while sample.ledger.sweep(at: sample.now) {}
    let registration = try StoredFormTests.busyRegistration(in: sample)
    let device = registration.device
    try sample.register(SampleLedger.widgets("pot"), on: device, app: "tea", environment: .production, fresh: 2)
    let gone = try sample.register(SampleLedger.widgets("pot"), on: device, app: "water", fresh: 3)
    sample.ledger.remove(gone, at: sample.now, wall: sample.wall)
    for subject in [DeveloperModeSubject.app(registration.app.bundleID), .device(device.id)] {
      try sample.ledger.grantDeveloperMode(
        to: subject, for: 1000, who: "ann", why: "tries", granter: .operatorRequest(uid: 7), at: sample.now,
        wall: sample.wall)
    }
    _ = sample.ledger.begin(
      FanOutOrder(
        team: "TEAM", bundleID: registration.app.bundleID, environment: .development,
        push: IncomingPush(id: SampleLedger.pushID(77), payload: [0x7B, 0x7D], storage: .until(.distantFuture)),
        filter: FanOutFilter(kinds: ["cups"], families: [.systemSmall], platforms: [.iOS])),
      id: CanonicalUUID(high: 1, low: 2), at: sample.now)
    sample.commit()
    sample.push(to: registration, payload: [0x7B, 0x7D])
    sample.ledger.receive(EventID(epoch: 7, sequence: 1), from: device, at: sample.now)
    sample.pass(60_000)
    if case .attached(let session, _) = device.link {
      sample.ledger.outputEmptied(session, of: device, at: sample.now)
    }
    sample.commit()
    return sample.store
  }

  private static func restore(_ table: StoredRow.Table?, _ id: UInt64, _ bytes: [UInt8], into store: StoreModel) throws
  {
    let ledger = Ledger(rules: LedgerRules(), epoch: 8, following: store.sequence)
    var restore = Ledger.Restore(into: ledger)
    for each in Ledger.restoreOrder {
      for (number, row) in (store.rows[each] ?? [:]).sorted(by: { $0.key < $1.key }) {
        let isDamaged = each == table && number == id
        try (isDamaged ? bytes : row.value ?? []).withUnsafeBytes {
          try restore.row(each, id: number, asOf: row.asOf, $0)
        }
      }
    }
    for entry in store.journal {
      let isDamaged = table == nil && entry.sequence == id
      try (isDamaged ? bytes : entry.records).withUnsafeBytes { try restore.journal(sequence: entry.sequence, $0) }
    }
    let now = LedgerTime(milliseconds: 1_772_000_100_000)
    restore.finish(at: now)
    try use(ledger, at: now)
  }

  /// What survives a restore must also survive its use.
  private static func use(_ ledger: Ledger, at now: LedgerTime) throws {
    for device in ledger.devices {
      ledger.attach(device, as: SessionID(rawValue: device.number), last: nil, at: now)
      ledger.outputEmptied(SessionID(rawValue: device.number), of: device, at: now)
    }
    for registration in ledger.registrations where registration.isActive {
      _ = ledger.accept(
        IncomingPush(id: SampleLedger.pushID(99), storage: .until(.distantFuture)), for: registration.token,
        in: registration.environment, bundleID: registration.app.bundleID, at: now)
      _ = ledger.peek(registration, at: now)
    }
    _ = ledger.wake(at: now.advanced(byMilliseconds: 86_400_000))
    while ledger.advanceFanOuts(at: now) {}
    ledger.tidy(at: now, wall: UnixTime(milliseconds: 0))
    while ledger.tidyMore(at: now) {}
    let clock = StoredClock(ledger: 0, boot: 0, wall: 0, bootID: "")
    while ledger.takeBatch(clock: clock) != nil {}
  }

  private static func everything(of store: StoreModel) -> [(table: StoredRow.Table?, id: UInt64, bytes: [UInt8])] {
    store.rows.flatMap { table, rows in rows.map { (table, $0.key, $0.value.value ?? []) } }
      .sorted { ($0.0.rawValue, $0.1) < ($1.0.rawValue, $1.1) }
      .map { (Optional($0.0), $0.1, $0.2) } + store.journal.map { (nil, $0.sequence, $0.records) }
  }

  @Test("The store that the damage is done to holds something of everything, and is read back whole")
  func whole() throws {
    let store = try Self.busyStore()
    for table in StoredRow.Table.allCases { #expect(store.rows[table]?.isEmpty == false, "\(table)") }
    #expect(store.journal.count == 1)
    try Self.restore(nil, .max, [], into: store)
  }

  @Test("A row or entry that is cut short is damage, wherever it is cut")
  func truncated() throws {
    let store = try Self.busyStore()
    var readable = 0
    for (table, id, bytes) in Self.everything(of: store) {
      for length in 0..<bytes.count {
        do {
          try Self.restore(table, id, Array(bytes.prefix(length)), into: store)
          // A journal entry is a list of records: cut between two of them it is whole.
          #expect(table == nil && length > 0)
          readable += 1
        } catch is Ledger.RestoreError {}
      }
      let longer = bytes + [0]
      #expect(throws: Ledger.RestoreError.self) { try Self.restore(table, id, longer, into: store) }
    }
    #expect(readable < 10)
  }

  @Test("Whatever a byte becomes, it is damage or a state that can be used", arguments: Seeds.usual(40))
  func mutated(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let store = try Self.busyStore()
    var damaged = 0
    for (table, id, bytes) in Self.everything(of: store) {
      for _ in 0..<8 {
        var copy = bytes
        for _ in 0..<Int.random(in: 1...3, using: &random) {
          let place = Int.random(in: copy.indices, using: &random)
          copy[place] =
            random.oneIn(3) ? 0xFF : random.oneIn(2) ? copy[place] ^ 1 << Int.random(in: 0..<8, using: &random) : 0
        }
        do { try Self.restore(table, id, copy, into: store) } catch is Ledger.RestoreError { damaged += 1 }
      }
    }
    #expect(damaged > 0)
  }

  @Test("What contradicts itself between rows is damage")
  func contradictions() throws {
    let store = try Self.busyStore()
    let device = try #require(store.rows[.device]?[1]?.value)
    let registrations = try #require(store.rows[.registration])
    let first = try #require(registrations[1]?.value)

    func damage(_ body: (inout Ledger.Restore) throws -> Void) -> String? {
      var restore = Ledger.Restore(into: Ledger(rules: LedgerRules(), epoch: 8))
      do {
        try body(&restore)
        return nil
      } catch {
        return "\(error)"
      }
    }
    func row(_ restore: inout Ledger.Restore, _ table: StoredRow.Table, _ id: UInt64, _ bytes: [UInt8]) throws {
      try bytes.withUnsafeBytes { try restore.row(table, id: id, asOf: 1, $0) }
    }
    #expect(damage { try row(&$0, .registration, 1, first) }?.contains("the number of a stored device") == true)
    #expect(
      damage { restore in
        try row(&restore, .device, 1, device)
        try row(&restore, .device, 2, device)
      }?.contains("a device that no other row holds") == true)
    #expect(
      damage { restore in
        try row(&restore, .device, 1, device)
        try row(&restore, .registration, 1, first)
        try row(&restore, .registration, 2, first)
      }?.contains("an app that its device has no other row for") == true)
    #expect(damage { try row(&$0, .device, .max, device) } != nil, "no row could follow")
    let records = try #require(store.journal.first?.records)
    #expect(
      damage { restore in
        try records.withUnsafeBytes { try restore.journal(sequence: .max, $0) }
      } != nil, "no entry could follow")
    #expect(
      damage { restore in
        try records.withUnsafeBytes { try restore.journal(sequence: 9, $0) }
      } == nil, "records of registrations that are gone have nothing to say")
  }

  @Test("Levels that no policy allows are damage, so that no sum can overflow", arguments: [-1, Int64.min, .max])
  func levels(level: Int64) throws {
    let writer = ByteWriter()
    LedgerRecord.handedOver(
      LedgerRecord.HandOverRecord(
        epoch: 1, sequence: 1, widgets: WidgetSet(bits: 1), charged: WidgetSet(bits: 1), levels: [level],
        at: .distantPast)
    ).encode(for: 1, into: writer)
    #expect(throws: ByteReader.Damage.self) {
      try writer.bytes.withUnsafeBytes { bytes in
        var reader = ByteReader(bytes)
        _ = try LedgerRecord.decode(&reader)
      }
    }
  }
}
