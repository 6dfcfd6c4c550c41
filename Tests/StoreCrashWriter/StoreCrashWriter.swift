import Foundation
import TokenStore
import TokenStoreSQLite

/// Writes batches to a store as fast as they become durable and says on standard output which ones are, until it is
/// killed. `SQLiteCrashTests` kills it.
@main
enum StoreCrashWriter {
  static func main() throws {
    let path = CommandLine.arguments[1]
    let store = try StoreOpener.open(path: path, durability: .relaxed)
    let epoch = try store.beginEpoch()
    var sequence = store.lastSequence
    say("epoch \(epoch)")
    let thread = try StoreThread(running: store) { reply in
      switch reply {
      case .durable(let sequence): say("durable \(sequence)")
      case .damaged(let cause), .failing(_, let cause): say("failing \(cause)")
      }
    }
    while true {
      sequence += 1
      thread.append(batch(sequence))
      while thread.pendingBytes > 100_000 { usleep(100) }
    }
  }

  /// Every batch journals its number, rewrites one of 50 rows, and trims what is more than 200 batches old.
  static func batch(_ sequence: UInt64) -> StoreBatch {
    StoreBatch(
      sequence: sequence,
      clock: StoredClock(ledger: Int64(sequence) * 10, boot: 1, wall: 2, bootID: "boot"),
      records: Array("records of \(sequence)".utf8),
      rows: [
        StoredRow(
          table: .registration, id: sequence % 50, asOf: sequence, value: Array("row of \(sequence)".utf8))
      ],
      trimBelow: sequence > 200 ? sequence - 200 : 0)
  }

  /// One write, so that a kill leaves no half line that reads like a smaller number.
  static func say(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = write(1, bytes, bytes.count)
  }
}
