import Foundation
import Testing
import TokenStore

@testable import TokenStoreSQLite

/// Protects a promise of design §7: a full disk, a locked or broken database never reports durable what is not, never
/// ends the process, and heals when the cause goes.
@Suite("A store whose disk fails") struct SQLiteFaultTests {
  private let folder: SQLiteTemporaryFolder
  private let recorder = SQLiteReplyRecorder()

  init() throws { folder = try SQLiteTemporaryFolder() }

  private func start() throws -> StoreThread {
    let recorder = recorder
    return try StoreThread(
      running: StoreOpener.open(path: folder.database, durability: .full),
      retry: RetryDelay(first: .milliseconds(1), longest: .milliseconds(20))
    ) { recorder.record($0) }
  }

  /// A batch that needs a good many new pages.
  private func large(_ sequence: UInt64) -> StoreBatch {
    var batch = SQLiteSample.batch(sequence)
    batch.records += [UInt8](repeating: 1, count: 100_000)
    return batch
  }

  @Test("A full disk keeps the batches, says so, and everything is durable in order once there is room")
  func fullDisk() async throws {
    let store = try start()
    store.append(SQLiteSample.batch(1))
    try await recorder.waitForDurable(1)
    store.limitPages(to: 1)
    for sequence in UInt64(2)...20 { store.append(large(sequence)) }
    try await recorder.wait { $0.count(where: { $0.cause != nil }) >= 5 }
    #expect(recorder.lastDurable == 1)
    #expect(store.pendingBytes > 19 * 100_000)
    let cause = try #require(recorder.causes.first)
    #expect(cause.hasPrefix(folder.database + ": database or disk is full"))
    #expect(cause.contains("free space"))
    #expect(recorder.replies.contains(.failing(sequence: 2, cause: cause)))
    store.limitPages(to: 1_000_000)
    try await recorder.waitForDurable(20)
    #expect(store.pendingBytes == 0)
    #expect(store.stop() == .finished)
    #expect(try SQLiteContents(path: folder.database).journal.keys.sorted() == Array(1...20))
  }

  @Test("A full disk holds up a stop until it heals")
  func stopDuringFullDisk() async throws {
    let store = try start()
    store.limitPages(to: 1)
    store.append(large(1))
    try await recorder.wait { !$0.isEmpty }
    let stopping = Task.detached { store.stop() }
    try await recorder.wait { $0.count >= 5 }
    store.limitPages(to: 1_000_000)
    #expect(await stopping.value == .finished)
    #expect(try SQLiteContents(path: folder.database).lastSequence == 1)
  }

  @Test("A stop that may give up does so, counts what it leaves, and frees the store")
  func givingUp() async throws {
    let store = try start()
    store.append(SQLiteSample.batch(1))
    try await recorder.waitForDurable(1)
    store.limitPages(to: 1)
    for sequence in UInt64(2)...4 { store.append(large(sequence)) }
    try await recorder.wait { $0.contains { $0.cause != nil } }
    #expect(store.stop(giveUpAfter: .milliseconds(50)) == .gaveUp(undurable: 3))
    #expect(recorder.lastDurable == 1)
    let contents = try SQLiteContents(path: folder.database)
    #expect(contents.lastSequence == 1)
    #expect(contents.isWholePrefix())
  }

  @Test("A stop that waits can be told by a second one to give up")
  func givingUpLater() async throws {
    let store = try start()
    store.limitPages(to: 1)
    store.append(large(1))
    try await recorder.wait { !$0.isEmpty }
    let patient = Task.detached { store.stop() }
    let hasty = Task.detached { store.stop(giveUpAfter: .zero) }
    #expect(await patient.value == .gaveUp(undurable: 1))
    #expect(await hasty.value == .gaveUp(undurable: 1))
  }

  @Test("A lock that another program holds is waited for and named")
  func lockedByAnother() async throws {
    let store = try start()
    let other = try Database(path: folder.database)
    try other.execute("BEGIN IMMEDIATE")
    store.append(SQLiteSample.batch(1))
    try await recorder.wait { $0.contains { $0.cause != nil } }
    #expect(recorder.lastDurable == 0)
    #expect(recorder.causes.first?.contains("another program holds a lock on it") == true)
    try other.execute("COMMIT")
    try await recorder.waitForDurable(1)
    store.stop()
  }

  @Test("A reader that stays holds up no commit")
  func longReader() async throws {
    let store = try start()
    store.append(SQLiteSample.batch(1))
    try await recorder.waitForDurable(1)
    let reader = try Database(path: folder.database)
    try reader.execute("BEGIN")
    #expect(try reader.integer("SELECT count(*) FROM journal") == 1)
    for sequence in UInt64(2)...200 { store.append(large(sequence)) }
    try await recorder.waitForDurable(200)
    #expect(recorder.causes.isEmpty)
    #expect(try reader.integer("SELECT count(*) FROM journal") == 1)
    try reader.execute("COMMIT")
    #expect(store.stop() == .finished)
  }

  @Test("A file taken away under a running store makes nothing durable until it is back")
  func removedFile() async throws {
    let store = try start()
    store.append(SQLiteSample.batch(1))
    try await recorder.waitForDurable(1)
    let away = folder.path + "/away"
    try FileManager.default.moveItem(atPath: folder.database, toPath: away)
    store.append(SQLiteSample.batch(2))
    try await recorder.wait { $0.contains { $0.cause != nil } }
    #expect(recorder.lastDurable == 1)
    #expect(recorder.causes.first?.contains("removed or replaced") == true)
    try FileManager.default.moveItem(atPath: away, toPath: folder.database)
    try await recorder.waitForDurable(2)
    store.stop()
    #expect(try SQLiteContents(path: folder.database).isWholePrefix())
  }

  @Test("A batch that can never be committed holds up only what is behind it")
  func poison() async throws {
    let store = try start()
    // All of these arrive while the first is being tried, so they make one transaction.
    for sequence in UInt64(1)...40 { store.append(SQLiteSample.batch(sequence)) }
    store.append(SQLiteSample.batch(7))
    for sequence in UInt64(41)...50 { store.append(SQLiteSample.batch(sequence)) }
    try await recorder.waitForDurable(40)
    try await recorder.wait { $0.contains { if case .failing(7, _) = $0 { true } else { false } } }
    #expect(store.stop(giveUpAfter: .zero) == .gaveUp(undurable: 11))
    let contents = try SQLiteContents(path: folder.database)
    #expect(contents.lastSequence == 40)
    #expect(contents.isWholePrefix())
  }

  @Test("Damage inside the file is an error to the reader and no crash", arguments: UInt64(0)..<40)
  func damagedPages(seed: UInt64) throws {
    var random = SplitMix(state: seed)
    let store = try start()
    for sequence in UInt64(1)...300 { store.append(SQLiteSample.batch(sequence)) }
    store.stop()
    var bytes = try Data(contentsOf: URL(fileURLWithPath: folder.database))
    for _ in 0..<200 { bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next()) }
    try bytes.write(to: URL(fileURLWithPath: folder.database))
    // Any outcome but a trap: refused, an error while reading, or luck.
    do { _ = try SQLiteContents(path: folder.database) } catch { #expect(!"\(error)".isEmpty) }
  }
}

/// A small generator with a seed, so that a failing case comes again.
struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
