import Foundation
import Testing
import TokenStore

@testable import TokenStoreSQLite

/// Protects a promise of design §7: `kill -9` loses nothing that was reported durable, and leaves no batch in part.
@Suite("A store that is killed") struct SQLiteCrashTests {
  private let folder: SQLiteTemporaryFolder

  init() throws { folder = try SQLiteTemporaryFolder() }

  @Test("kill -9 in the middle of batches, twenty times on one store: all that was durable is there, and whole")
  func killed() throws {
    var random = SplitMix(state: 20)
    var before: UInt64 = 0
    for round in UInt64(1)...20 {
      let writer = Process()
      writer.executableURL = try writerExecutable()
      writer.arguments = [folder.database]
      let output = Pipe()
      writer.standardOutput = output
      try writer.run()
      // The first line says that it is at work.
      var said = output.fileHandleForReading.availableData
      usleep(UInt32(random.next() % 40_000))
      kill(writer.processIdentifier, SIGKILL)
      said += try output.fileHandleForReading.readToEnd() ?? Data()
      writer.waitUntilExit()
      #expect(writer.terminationReason == .uncaughtSignal)

      let lines = String(decoding: said, as: UTF8.self).split(separator: "\n")
      #expect(lines.first == "epoch \(round)")
      #expect(!lines.contains { $0.hasPrefix("failing") })
      let durable = lines.compactMap { $0.hasPrefix("durable ") ? UInt64($0.dropFirst(8)) : nil }.last ?? before
      let contents = try SQLiteContents(path: folder.database)
      #expect(contents.lastSequence >= durable)
      #expect(contents.isWholePrefix(keeping: 200), "round \(round)")
      before = contents.lastSequence
    }
    #expect(before > 200)
  }

  @Test("A WAL that was cut or damaged anywhere gives the batches before that place, whole", arguments: UInt64(0)..<30)
  func tornWAL(seed: UInt64) async throws {
    var random = SplitMix(state: seed)
    let recorder = SQLiteReplyRecorder()
    let store = try StoreThread(running: StoreOpener.open(path: folder.database, durability: .full)) {
      recorder.record($0)
    }
    // One transaction each, and too few for a checkpoint: all of them are in the WAL only.
    for sequence in UInt64(1)...60 {
      store.append(SQLiteSample.batch(sequence))
      try await recorder.waitForDurable(sequence)
    }
    let copy = try SQLiteTemporaryFolder()
    try FileManager.default.copyItem(atPath: folder.database, toPath: copy.database)
    var wal = try Data(contentsOf: URL(fileURLWithPath: folder.database + "-wal"))
    store.stop()
    let place = Int(random.next() % UInt64(wal.count))
    if seed.isMultiple(of: 2) { wal = wal.prefix(place) } else { wal[place] ^= 0x40 }
    try wal.write(to: URL(fileURLWithPath: copy.database + "-wal"))

    let contents = try SQLiteContents(path: copy.database)
    #expect(contents.lastSequence <= 60)
    #expect(contents.isWholePrefix())
  }

  private func writerExecutable() throws -> URL {
    let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let path = URL(fileURLWithPath: own).deletingLastPathComponent().appendingPathComponent("StoreCrashWriter")
    try #require(FileManager.default.isExecutableFile(atPath: path.path), "\(path.path) was not built")
    return path
  }
}
