import Glibc

/// CPU time of this process, which other loads on the machine disturb less than the clock on the wall.
enum Stopwatch {
  static func nanoseconds(each rounds: Int, _ body: () -> Void) -> Double {
    let start = cpu()
    for _ in 0..<rounds { body() }
    return Double(cpu() - start) / Double(rounds)
  }

  static func cpu() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}

extension Double {
  var rounded1: Double { (self * 10).rounded() / 10 }
}
