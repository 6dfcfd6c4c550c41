import BudgetThrottle
@testable import GatewayCore
import SeededRandom
import Testing
import TokenStore

/// Protects that the journal stays short under load, that it is never cut shorter than a restore needs, and that what
/// happens rarely is written at once.
@Suite("Batches and the fuzzy checkpoint") struct BatchBuilderTests {
  private static let clock = StoredClock(ledger: 0, boot: 0, wall: 0, bootID: "")

  private static func registrations(_ count: UInt64, on device: DeviceState) throws -> [RegistrationState] {
    let app = App(try SampleLedger.bundleID())
    let token = try SampleLedger.token(1)
    return (1...count).map {
      RegistrationState(id: $0, app: app, device: device, environment: .development, token: token)
    }
  }

  private static func take(_ builder: BatchBuilder) throws -> StoreBatch {
    let batch = builder.take(clock: clock)
    return try #require(batch)
  }

  private static let record = LedgerRecord.cleared(marks: WidgetSet(bits: .max), inFlight: WidgetSet())

  @Test("Without anything to write there is no batch, and positions have no gap")
  func empty() throws {
    let device = SampleLedger().device()
    let one = try Self.registrations(1, on: device)[0]
    let builder = BatchBuilder(following: 41)
    #expect(builder.take(clock: Self.clock) == nil)
    builder.append(Self.record, for: one)
    let first = try Self.take(builder)
    #expect(first.sequence == 42)
    #expect(first.records.first == LedgerRecord.codecVersion)
    #expect(first.rows.isEmpty)
    #expect(first.trimBelow == 42, "its row is older than this record")
    #expect(builder.take(clock: Self.clock) == nil)
    builder.writeNow(one)
    builder.writeNow(one)
    let second = try Self.take(builder)
    #expect(second.sequence == 43)
    #expect(second.records.isEmpty)
    #expect(second.rows.map(\.id) == [1])
    #expect(second.rows.map(\.asOf) == [43])
    #expect(second.trimBelow == 44, "nothing needs the journal any more")
    #expect(builder.journalBytes == 0)
    let isEmpty = builder.isEmpty
    #expect(isEmpty)
  }

  @Test("A registration that is gone is deleted, and no batch writes it again")
  func erased() throws {
    let device = SampleLedger().device()
    let one = try Self.registrations(1, on: device)[0]
    let builder = BatchBuilder(following: 0, target: 1)
    builder.append(Self.record, for: one)
    builder.writeNow(one)
    builder.erase(one)
    let batch = try Self.take(builder)
    #expect(batch.rows.map(\.value) == [nil])
    #expect(batch.trimBelow == 2)
  }

  @Test("Rows are written oldest first, as many as the journal's length asks for")
  func oldestFirst() throws {
    let device = SampleLedger().device()
    let all = try Self.registrations(4, on: device)
    let builder = BatchBuilder(following: 0, target: 1 << 40)
    for one in all.reversed() {
      builder.append(Self.record, for: one)
      let batch = try Self.take(builder)
      #expect(batch.rows.isEmpty, "far below the target nothing is in a hurry")
      #expect(batch.trimBelow == 1)
    }
    #expect(builder.journalEntries == 4)
    #expect(builder.dirtyCount == 4)
    let hurried = BatchBuilder(following: 0, target: 1)
    for one in all.reversed() {
      one.dirtySince = nil
      hurried.append(Self.record, for: one)
    }
    let batch = try Self.take(hurried)
    #expect(Set(batch.rows.map(\.id)) == [1, 2, 3, 4])
    #expect(batch.trimBelow == 2)
  }

  @Test("Along with the oldest row go the dirty ones of its neighbourhood, and no others")
  func neighbours() throws {
    let device = SampleLedger().device()
    let all = try Self.registrations(UInt64(3 * BatchBuilder.neighbourhood), on: device)
    var list = RegistrationList()
    for one in all { list.append(one) }
    let (second, third) = (BatchBuilder.neighbourhood, 2 * BatchBuilder.neighbourhood)
    let builder = BatchBuilder(following: 0, target: 1 << 20)
    // The oldest lies in the middle of the second neighbourhood; both ends of it are dirty, and both of its neighbours.
    for place in [second + 7, second - 1, third, third - 1] {
      builder.append(Self.record, for: all[place])
      #expect(builder.take(clock: Self.clock, among: list)?.rows.isEmpty == true)
    }
    builder.noteEntry(sequence: builder.sequence, bytes: 1 << 20)
    builder.append(Self.record, for: all[second])
    let batch = try #require(builder.take(clock: Self.clock, among: list))
    #expect(batch.rows.map(\.id) == [second, second + 7, third - 1].map { all[$0].id })
    #expect(batch.trimBelow == 2, "the row outside the neighbourhood is the oldest now")
    #expect(all.filter { $0.dirtySince != nil }.map(\.id) == [second - 1, third].map { all[$0].id })

    list.remove(all[second - 1])
    builder.erase(all[second - 1])
    // One row was asked for and three were written: the next one is due with the third record from here.
    for (place, rows) in [(third + 1, 0), (third, 0), (third, 2)] {
      builder.append(Self.record, for: all[place])
      let written = builder.take(clock: Self.clock, among: list)?.rows.filter { $0.value != nil }
      #expect(written?.count == rows)
    }
    #expect(all.allSatisfy { $0.dirtySince == nil })
  }

  @Test(
    "How many rows are written grows with the cube of the journal's length",
    arguments: [(1, 1000), (2, 125), (5, 8), (10, 1), (11, 0)])
  func cube(part: Int, rows: Int) throws {
    let device = SampleLedger().device()
    let all = try Self.registrations(1000, on: device)
    let sample = BatchBuilder(following: 0)
    for one in all { sample.append(Self.record, for: one) }
    let bytes = sample.pendingBytes
    for one in all { one.dirtySince = nil }
    let builder = BatchBuilder(following: 0, target: part * bytes)
    for one in all { builder.append(Self.record, for: one) }
    #expect(try Self.take(builder).rows.count == rows)
  }

  @Test("No record goes that a restore would need, whatever is written out of turn", arguments: Seeds.usual(40))
  func neverTooShort(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let device = SampleLedger().device()
    var all = try Self.registrations(12, on: device)
    var list = RegistrationList()
    if random.oneIn(2) { for one in all { list.append(one) } }
    let builder = BatchBuilder(following: 0, target: [50, 500, 5000].randomElement(using: &random) ?? 500)
    // By registration: every position with a record of it, and the position that its row holds.
    var needed: [UInt64: [UInt64]] = [:]
    var trimmed: UInt64 = 0
    for _ in 0..<400 {
      for _ in 0..<Int.random(in: 0...5, using: &random) {
        guard let one = all.randomElement(using: &random) else { continue }
        builder.append(Self.record, for: one)
        needed[one.id, default: []].append(builder.sequence)
      }
      if random.oneIn(3), let one = all.randomElement(using: &random) { builder.writeNow(one) }
      if random.oneIn(60), all.count > 4 {
        let gone = all.remove(at: Int.random(in: 0..<all.count, using: &random))
        builder.erase(gone)
        if list.count > 0 { list.remove(gone) }
        needed[gone.id] = nil
      }
      guard let batch = builder.take(clock: Self.clock, among: list) else { continue }
      for row in batch.rows where row.value != nil { needed[row.id]?.removeAll { $0 <= row.asOf } }
      let oldest = needed.values.flatMap { $0 }.min() ?? .max
      #expect(batch.trimBelow <= oldest, "a record that no row holds was trimmed")
      #expect(batch.trimBelow >= trimmed, "the journal is cut from its old end only")
      trimmed = batch.trimBelow
    }
    #expect(trimmed > 100, "the journal did move on")
  }

  @Test(
    "Under a steady load the journal settles near its target and stays there",
    arguments: [(10_000, 200), (10_000, 20), (300, 200)] as [(UInt64, Int)])
  func bounded(count: UInt64, batchSize: Int) throws {
    var random = SeededGenerator(seed: count + UInt64(batchSize))
    let device = SampleLedger().device()
    let all = try Self.registrations(count, on: device)
    let target = 60_000
    let builder = BatchBuilder(following: 0, target: target)
    var longest = 0
    var rows = 0
    let batches = 80_000 / batchSize
    for batch in 0..<batches {
      for _ in 0..<batchSize { builder.append(Self.record, for: all[Int(random.next() % count)]) }
      rows += try Self.take(builder).rows.count
      if batch > batches / 4 { longest = max(longest, builder.journalBytes) }
    }
    #expect(longest < target * 5 / 4)
    #expect(longest > target / 100)
    #expect(rows <= 80_000, "a row for each record is the most that it ever costs")
    #expect(builder.dirtyCount <= Int(2 * count))
  }
}
