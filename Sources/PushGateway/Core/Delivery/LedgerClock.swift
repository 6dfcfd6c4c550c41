package import BudgetThrottle
package import TokenStore

/// Turns the machine's clocks into ledger time, and goes on with the time line where the last run left it.
///
/// Within one boot the boot clock says how much time has passed since the last commit. Across a reboot only the wall
/// clock can: a step forward adds at most what it steps (a cell cannot hold more than one full bucket), a step back
/// adds nothing.
package struct LedgerClock: Sendable {
  private let offset: Int64
  private let bootID: String

  /// - Parameters:
  ///   - last: the clocks at the store's last commit; nil for a new store.
  ///   - boot: `CLOCK_BOOTTIME`, milliseconds.
  ///   - wall: milliseconds since 1970.
  package init(continuing last: StoredClock?, bootID: String, boot: Int64, wall: Int64) {
    self.bootID = bootID
    let start: Int64
    if let last {
      let passed = last.bootID == bootID ? boot - last.boot : wall - last.wall
      start = last.ledger + max(0, passed)
    } else {
      start = wall
    }
    offset = start - boot
  }

  package func time(boot: Int64) -> LedgerTime { LedgerTime(milliseconds: boot + offset) }

  package func stored(boot: Int64, wall: Int64) -> StoredClock {
    StoredClock(ledger: boot + offset, boot: boot, wall: wall, bootID: bootID)
  }

  /// When a moment of the ledger is, in boot milliseconds, for the loop's timers.
  package func boot(_ time: LedgerTime) -> Int64 {
    let (boot, overflow) = time.milliseconds.subtractingReportingOverflow(offset)
    return overflow ? (time.milliseconds < 0 ? .min : .max) : boot
  }

  /// A date that a client gave, on the ledger's time line.
  package static func ledger(_ date: UnixTime, at now: LedgerTime, wall: UnixTime) -> LedgerTime {
    now.advanced(byMilliseconds: date.milliseconds - wall.milliseconds)
  }
}
