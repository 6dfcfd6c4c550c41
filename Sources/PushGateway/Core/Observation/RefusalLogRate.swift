package import BudgetThrottle

/// How many lines refused pushes may write: for each reason some at once, then one in a while, so that neither a client
/// gone wild fills the log nor one reason hides another. Reasons are a closed set, so what is counted is bounded.
package struct RefusalLogRate: Sendable {
  package static let allowance = SpacedAllowance(burst: 10, spacing: 10_000)

  private struct Cell {
    var lines = RefusalLogRate.allowance
    var suppressed = 0
  }

  private static let reasons = RejectionReason.allCases
  private var cells = [Cell](repeating: Cell(), count: Self.reasons.count)

  package init() {}

  /// Counts one refusal.
  /// - Returns: how many of its reason were left out since the last that was written; nil when this one is left out.
  package mutating func admit(_ reason: RejectionReason, at now: LedgerTime) -> Int? {
    guard let place = Self.reasons.firstIndex(of: reason) else { return nil }
    guard cells[place].lines.spend(at: now) == nil else {
      cells[place].suppressed += 1
      return nil
    }
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
