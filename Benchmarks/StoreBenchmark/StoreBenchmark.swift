import Foundation
import Synchronization
import TokenStore
import TokenStoreSQLite

/// What the store costs on this machine's disk: journal records a second at several depths of queue, the fuzzy
/// checkpoint beside it, and how long a start reads.
///
///     swift run -c release StoreBenchmark [folder] [rows]
@main
enum StoreBenchmark {
  static func main() throws {
    let arguments = CommandLine.arguments.dropFirst()
    let folder = arguments.first ?? NSTemporaryDirectory()
    let rows = arguments.dropFirst().first.flatMap { UInt64($0) } ?? 1_000_000
    let path = folder + "/store-benchmark-\(getpid()).sqlite"
    defer { for suffix in ["", "-wal", "-shm", "-lock"] { unlink(path + suffix) } }

    print("batches of 100 records of 60 bytes, journal trimmed 100 batches behind")
    for durability in [StoreDurability.full, .relaxed] {
      for depth in [1, 4, 16, 64] as [UInt64] {
        let load = Load(batches: 4000, depth: depth, rowsPerBatch: 0, rows: rows)
        print("  \(durability), \(depth) batches waiting: \(try load.run(path, durability))")
      }
    }
    print("filling \(rows) rows of 300 bytes: \(try fill(path, rows: rows)) s")
    print("the same with 20 of \(rows) rows written in each batch")
    for pattern in [Load.Pattern.ascending, .random] {
      let load = Load(batches: 4000, depth: 16, rowsPerBatch: 20, rows: rows, pattern: pattern)
      print("  full, 16 batches waiting, rows \(pattern): \(try load.run(path, .full))")
    }
    let clock = ContinuousClock()
    var bytes = 0
    let elapsed = try clock.measure {
      let store = try StoreOpener.open(path: path, durability: .full)
      for table in StoredRow.Table.allCases { try store.forEachRow(of: table) { bytes += $2.count } }
      try store.forEachJournalEntry { bytes += $2.count }
    }
    print("opening and reading \(rows) rows, \(bytes / 1_000_000) MB: \(elapsed)")
  }

  private static func fill(_ path: String, rows: UInt64) throws -> Double {
    let store = try StoreOpener.open(path: path, durability: .relaxed)
    let first = store.lastSequence + 1
    let thread = try StoreThread(running: store) { _ in }
    let value = [UInt8](repeating: 1, count: 300)
    let start = ContinuousClock.now
    var id: UInt64 = 0
    var sequence = first
    while id < rows {
      let end = min(rows, id + 5000)
      let some = (id..<end).map { StoredRow(table: .registration, id: $0, asOf: sequence, value: value) }
      while thread.pendingBytes > 20_000_000 { usleep(1000) }
      thread.append(StoreBatch(sequence: sequence, clock: Load.clock, rows: some))
      sequence += 1
      id = end
    }
    thread.stop()
    return (ContinuousClock.now - start) / .seconds(1)
  }
}
