/// A policy as exact integers.
///
/// A token is 86 400 000 units, one for each millisecond of a day, so that a refill of (L − b) tokens a day is (L − b)
/// units a millisecond and no division ever rounds. A bucket of b tokens refilled so hands out at most
/// b + (L − b) = L in any closed window of 24 h.
///
/// L = 1 leaves no refill beside its burst of one. It gets one unit a millisecond and a token that costs one unit
/// more, so that two charges lie more than 24 h apart and not exactly 24 h.
package struct BudgetRate: Hashable, Sendable {
  package static let unitsPerToken: Int64 = 86_400_000
  package static let millisecondsPerDay: Int64 = 86_400_000

  /// No policy's cell holds more.
  package static let highestCapacity = Int64(BudgetPolicy.refreshesPerDayRange.upperBound) * unitsPerToken

  /// Units that one hand-over costs.
  package let cost: Int64
  /// Units that a full cell holds.
  package let capacity: Int64
  /// Units a millisecond.
  package let refill: Int64

  package init(_ policy: BudgetPolicy) {
    let limit = Int64(min(max(policy.refreshesPerDay, 1), BudgetPolicy.refreshesPerDayRange.upperBound))
    guard limit > 1 else {
      cost = Self.unitsPerToken + 1
      capacity = cost
      refill = 1
      return
    }
    let burst = min(max(Int64(policy.burst), 1), limit - 1)
    cost = Self.unitsPerToken
    capacity = burst * Self.unitsPerToken
    refill = limit - burst
  }

  /// Milliseconds until `units` more are there, rounded up: against the widget.
  package func time(toEarn units: Int64) -> Int64 { units <= 0 ? 0 : (units - 1) / refill + 1 }
}
