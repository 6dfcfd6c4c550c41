import CAllocations
import Glibc

/// What one thing costs: CPU time of this process, which other loads on the machine disturb less than the clock on the
/// wall, and how often the heap was asked.
struct Meter {
  struct Reading {
    var name: String
    var nanoseconds: Double
    var allocations: Double
  }

  private static let repeats = 5
  private(set) var readings: [Reading] = []

  /// - Parameters:
  ///   - rounds: operations in a row; the best of some such rows counts.
  ///   - each: how many things one call of `body` does.
  mutating func measure(_ name: String, rounds: Int, each: Int = 1, _ body: () -> Void) {
    for _ in 0..<1000 { body() }
    let asked = allocations_of_this_thread()
    var best = Int64.max
    for _ in 0..<Self.repeats {
      let start = Self.cpu()
      for _ in 0..<rounds { body() }
      best = min(best, Self.cpu() - start)
    }
    let allocations = allocations_of_this_thread() - asked
    readings.append(
      Reading(
        name: name, nanoseconds: Double(best) / Double(rounds * each),
        allocations: Double(allocations) / Double(rounds * each * Self.repeats)))
  }

  private static func cpu() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
