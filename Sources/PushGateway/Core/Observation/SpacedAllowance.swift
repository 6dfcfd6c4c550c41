package import BudgetThrottle

/// How often something may happen: ``burst`` times at once, then once in each ``spacing``. Kept as one instant, and so
/// small that whatever wants bounding can have its own.
package struct SpacedAllowance: Sendable {
  package let burst: Int64
  /// Milliseconds.
  package let spacing: Int64
  /// When what is perfectly spaced would have used up what was granted so far.
  private var paidUntil: LedgerTime?

  package init(burst: Int64, spacing: Int64) {
    self.burst = burst
    self.spacing = spacing
  }

  /// Counts one, if it may be.
  /// - Returns: nil when it may; otherwise whole seconds to wait, at least 1, after which it may.
  package mutating func spend(at now: LedgerTime) -> Int? {
    let paid = max(paidUntil ?? now, now).advanced(byMilliseconds: spacing)
    let excess = paid.milliseconds(since: now) - burst * spacing
    guard excess <= 0 else { return Int((excess + 999) / 1000) }
    paidUntil = paid
    return nil
  }

  /// Whether it stands as a new one would.
  package func isFresh(at now: LedgerTime) -> Bool { paidUntil.map { $0 <= now } ?? true }
}
