package import BudgetThrottle

/// How many lines refused pushes may write: for each reason some at once, then one in a while, so that neither a client
/// gone wild fills the log nor one reason hides another. Reasons are a closed set, so what is counted is bounded.
package struct RefusalLogRate: Sendable {
  package static let burst: Int64 = 10
  /// Milliseconds between two lines of one reason in the long run.
  package static let spacing: Int64 = 10_000

  private struct Cell {
    /// When lines that are perfectly spaced would have used up what was written so far.
    var paidUntil: LedgerTime?
    var suppressed = 0
  }

  private static let reasons = RejectionReason.allCases
  private var cells = [Cell](repeating: Cell(), count: Self.reasons.count)

  package init() {}

  /// Counts one refusal.
  /// - Returns: how many of its reason were left out since the last that was written; nil when this one is left out.
  package mutating func admit(_ reason: RejectionReason, at now: LedgerTime) -> Int? {
    guard let place = Self.reasons.firstIndex(of: reason) else { return nil }
    let paid = max(cells[place].paidUntil ?? now, now).advanced(byMilliseconds: Self.spacing)
    guard paid.milliseconds(since: now) <= Self.burst * Self.spacing else {
      cells[place].suppressed += 1
      return nil
    }
    cells[place].paidUntil = paid
    defer { cells[place].suppressed = 0 }
    return cells[place].suppressed
  }

  /// What was left out and not told yet, in the order of the reasons; then it is told. To be called now and then, for
  /// the last of a flood have no line after them.
  package mutating func takeSuppressed() -> [(reason: RejectionReason, count: Int)] {
    var taken: [(reason: RejectionReason, count: Int)] = []
    for place in cells.indices where cells[place].suppressed > 0 {
      taken.append((Self.reasons[place], cells[place].suppressed))
      cells[place].suppressed = 0
    }
    return taken
  }
}
