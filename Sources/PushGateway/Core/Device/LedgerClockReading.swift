package import BudgetThrottle
package import TokenStore

/// Ledger time and wall time of one instant, from which dates for people are reckoned.
package struct LedgerClockReading: Equatable, Sendable {
  package var now: LedgerTime
  package var wall: UnixTime

  package init(now: LedgerTime, wall: UnixTime) {
    self.now = now
    self.wall = wall
  }

  /// The wall clock's time at `time`, if it goes on as it stands; saturated.
  package func wallTime(of time: LedgerTime) -> UnixTime {
    let (sum, overflow) = wall.milliseconds.addingReportingOverflow(time.milliseconds(since: now))
    return UnixTime(milliseconds: overflow ? (time < now ? .min : .max) : sum)
  }
}
