/// The ledger's own time line, in milliseconds. It begins at the wall time of the store's first start and then only
/// moves forward: with the boot clock while a process runs (suspend included), and by the wall clock's forward
/// difference across a reboot. No step of the wall clock reaches a budget.
package struct LedgerTime: Hashable, Comparable, Sendable {
  package var milliseconds: Int64
  package init(milliseconds: Int64) { self.milliseconds = milliseconds }

  package static let distantFuture = LedgerTime(milliseconds: .max)
  package static let distantPast = LedgerTime(milliseconds: .min)

  package static func < (left: Self, right: Self) -> Bool { left.milliseconds < right.milliseconds }

  /// Saturates instead of trapping: a date far ahead is "never".
  package func advanced(byMilliseconds delta: Int64) -> LedgerTime {
    let (sum, overflow) = milliseconds.addingReportingOverflow(delta)
    return overflow ? (delta < 0 ? .distantPast : .distantFuture) : LedgerTime(milliseconds: sum)
  }

  /// Milliseconds from `earlier` to here, saturated; negative when `earlier` is later.
  package func milliseconds(since earlier: LedgerTime) -> Int64 {
    let (difference, overflow) = milliseconds.subtractingReportingOverflow(earlier.milliseconds)
    return overflow ? (milliseconds < earlier.milliseconds ? .min : .max) : difference
  }
}
