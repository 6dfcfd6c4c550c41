import BudgetThrottle
import GatewayIO
import TokenStore

/// Turns the loop's clocks into ledger time, and goes on with the time line where the last run left it.
///
/// Within one boot the boot clock says how much time has passed since the last commit. Across a reboot only the wall
/// clock can: a step forward adds at most what it steps (a cell cannot hold more than one full bucket), a step back
/// adds nothing.
struct LedgerClock {
  private let offset: Int64
  private let bootID: String

  init(continuing last: StoredClock?, bootID: String, now: LoopClock) {
    self.bootID = bootID
    let start: Int64
    if let last {
      let passed = last.bootID == bootID ? now.bootMilliseconds - last.boot : now.wallMilliseconds - last.wall
      start = last.ledger + max(0, passed)
    } else {
      start = now.wallMilliseconds
    }
    offset = start - now.bootMilliseconds
  }

  func time(_ now: LoopClock) -> LedgerTime { LedgerTime(milliseconds: now.bootMilliseconds + offset) }

  func stored(_ now: LoopClock) -> StoredClock {
    StoredClock(
      ledger: now.bootMilliseconds + offset, boot: now.bootMilliseconds, wall: now.wallMilliseconds, bootID: bootID)
  }

  /// When a moment of the ledger is, in boot milliseconds, for the loop's timers.
  func boot(_ time: LedgerTime) -> Int64 {
    let (boot, overflow) = time.milliseconds.subtractingReportingOverflow(offset)
    return overflow ? (time.milliseconds < 0 ? .min : .max) : boot
  }

  /// A date that a client gave, on the ledger's time line.
  static func ledger(_ date: UnixTime, at now: LedgerTime, wall: UnixTime) -> LedgerTime {
    now.advanced(byMilliseconds: date.milliseconds - wall.milliseconds)
  }
}
