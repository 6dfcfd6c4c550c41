import Glibc

/// The two times of one turn, read once when it begins.
package struct LoopClock: Sendable, Equatable {
  /// Nanoseconds since boot, suspend included (CLOCK_BOOTTIME): for intervals, deadlines and latencies.
  package var bootNanoseconds: Int64
  /// Milliseconds since 1970 (CLOCK_REALTIME): for what people and protocols read. It may step.
  package var wallMilliseconds: Int64

  package init(bootNanoseconds: Int64, wallMilliseconds: Int64) {
    self.bootNanoseconds = bootNanoseconds
    self.wallMilliseconds = wallMilliseconds
  }

  /// Milliseconds since boot, rounded down: the unit of timers.
  package var bootMilliseconds: Int64 { bootNanoseconds / 1_000_000 }

  package static func read() -> LoopClock {
    var wall = timespec()
    clock_gettime(CLOCK_REALTIME, &wall)
    return LoopClock(
      bootNanoseconds: readBootNanoseconds(),
      wallMilliseconds: Int64(wall.tv_sec) * 1000 + Int64(wall.tv_nsec) / 1_000_000)
  }

  /// The boot clock alone, for a latency that ends inside a turn.
  package static func readBootNanoseconds() -> Int64 {
    var boot = timespec()
    clock_gettime(CLOCK_BOOTTIME, &boot)
    return Int64(boot.tv_sec) * 1_000_000_000 + Int64(boot.tv_nsec)
  }
}
