package import BudgetThrottle

/// How many signature checks one connection may still cause. A check is forty microseconds of everybody's loop, so a
/// client that shows a new JWT with each request must run out of checks before others notice.
///
/// A connection that keeps the rules needs one check in 20 minutes, and none if another connection has shown its token
/// before. ``burst`` leaves room for some that went wrong; then it is one check for each ``spacing``.
package struct SignatureAllowance: Sendable {
  package static let burst: Int64 = 5
  /// Milliseconds.
  package static let spacing: Int64 = 1000

  /// When checks that are perfectly spaced would have used up what was granted so far.
  private var paidUntil: LedgerTime?

  package init() {}

  /// Counts one check, if it may be made.
  /// - Returns: nil when it may; otherwise whole seconds to wait, at least 1, after which it may.
  package mutating func spend(at now: LedgerTime) -> Int? {
    let paid = max(paidUntil ?? now, now).advanced(byMilliseconds: Self.spacing)
    let excess = paid.milliseconds(since: now) - Self.burst * Self.spacing
    guard excess <= 0 else { return Int((excess + 999) / 1000) }
    paidUntil = paid
    return nil
  }
}
