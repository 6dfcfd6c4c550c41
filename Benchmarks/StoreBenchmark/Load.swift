import Foundation
import Synchronization
import TokenStore
import TokenStoreSQLite

/// A closed loop: `depth` batches are always waiting.
struct Load {
  enum Pattern { case ascending, random }

  static let clock = StoredClock(ledger: 1, boot: 2, wall: 3, bootID: "01234567-89ab-cdef-0123-456789abcdef")
  static let recordsPerBatch = 100

  var batches: Int
  var depth: UInt64
  var rowsPerBatch: UInt64
  var rows: UInt64
  var pattern = Pattern.ascending

  func run(_ path: String, _ durability: StoreDurability) throws -> String {
    let bell = DispatchSemaphore(value: 0)
    let store = try StoreOpener.open(path: path, durability: durability)
    let first = store.lastSequence + 1
    let reported = Reported()
    reported.durable.store(first - 1, ordering: .relaxed)
    let thread = try StoreThread(running: store) { reply in
      guard case .durable(let sequence) = reply else { return }
      reported.durable.store(sequence, ordering: .releasing)
      bell.signal()
    }
    let records = [UInt8](repeating: 42, count: 60 * Self.recordsPerBatch)
    let value = [UInt8](repeating: 2, count: 300)
    var appended: [ContinuousClock.Instant] = []
    var latencies: [Duration] = []
    var nextRow: UInt64 = 0
    var walBytes: off_t = 0
    let cpu = Self.cpuSeconds()
    let start = ContinuousClock.now
    var answered = 0
    while answered < batches {
      while appended.count < batches, UInt64(appended.count - answered) < depth {
        let sequence = first + UInt64(appended.count)
        let some = (0..<rowsPerBatch).map { _ in
          nextRow = pattern == .ascending ? (nextRow + 1) % rows : .random(in: 0..<rows)
          return StoredRow(table: .registration, id: nextRow, asOf: sequence, value: value)
        }
        appended.append(.now)
        thread.append(
          StoreBatch(
            sequence: sequence, clock: Self.clock, records: records, rows: some,
            trimBelow: sequence > 100 ? sequence - 100 : 0))
      }
      bell.wait()
      let now = ContinuousClock.now
      let upTo = Int(reported.durable.load(ordering: .acquiring) &+ 1 &- first)
      while answered < upTo {
        latencies.append(now - appended[answered])
        answered += 1
      }
      var status = stat()
      if answered % 64 < 2, stat(path + "-wal", &status) == 0 { walBytes = max(walBytes, status.st_size) }
    }
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    let used = Self.cpuSeconds() - cpu
    thread.stop()
    latencies.sort()
    let total = Double(batches * Self.recordsPerBatch)
    func milliseconds(_ part: Double) -> String {
      String(format: "%.2f", latencies[Int(Double(latencies.count - 1) * part)] / .milliseconds(1))
    }
    return String(
      format: "%.0f records/s, CPU %.2f us a record, p50 ", total / seconds, used / total * 1e6)
      + "\(milliseconds(0.5)) ms, p99 \(milliseconds(0.99)) ms, worst \(milliseconds(1)) ms, WAL \(walBytes / 1000) kB"
  }

  final class Reported: Sendable { let durable = Atomic<UInt64>(0) }

  private static func cpuSeconds() -> Double {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
    return seconds(usage.ru_utime) + seconds(usage.ru_stime)
  }
}
