/// What one widget may still spend: a token bucket as two numbers, and when it was last charged.
///
/// Nothing here reads a clock, and peeking never writes: the level is settled when it is charged or when its policy
/// changes, and computed in between.
package struct BudgetCell: Hashable, Sendable {
  /// Units (see ``BudgetRate``) at `settledAt`.
  package private(set) var level: Int64
  package private(set) var settledAt: LedgerTime
  /// The last charged hand-over, which the minimum interval counts from.
  package private(set) var chargedAt: LedgerTime

  /// As the journal and the store keep it.
  package init(level: Int64, settledAt: LedgerTime, chargedAt: LedgerTime) {
    self.level = level
    self.settledAt = settledAt
    self.chargedAt = chargedAt
  }

  package static func full(under policy: BudgetPolicy, at now: LedgerTime) -> BudgetCell {
    BudgetCell(level: BudgetRate(policy).capacity, settledAt: now, chargedAt: .distantPast)
  }

  /// Units at `now`.
  package func level(at now: LedgerTime, under policy: BudgetPolicy) -> Int64 {
    level(at: now, at: BudgetRate(policy))
  }

  private func level(at now: LedgerTime, at rate: BudgetRate) -> Int64 {
    let elapsed = max(0, now.milliseconds(since: settledAt))
    let (earned, overflow) = elapsed.multipliedReportingOverflow(by: rate.refill)
    guard !overflow else { return rate.capacity }
    let (sum, tooMuch) = level.addingReportingOverflow(earned)
    return tooMuch ? rate.capacity : min(sum, rate.capacity)
  }

  /// Whole hand-overs that could be charged at `now`, minimum interval aside.
  package func remaining(at now: LedgerTime, under policy: BudgetPolicy) -> Int {
    let rate = BudgetRate(policy)
    return Int(level(at: now, at: rate) / rate.cost)
  }

  /// When the next whole token will be there; nil while the cell is full.
  package func nextToken(at now: LedgerTime, under policy: BudgetPolicy) -> LedgerTime? {
    let rate = BudgetRate(policy)
    let current = level(at: now, at: rate)
    guard current < rate.capacity else { return nil }
    let missing = rate.cost - current % rate.cost
    return now.advanced(byMilliseconds: rate.time(toEarn: missing))
  }

  /// When the cell is full again; not after `now` if it is.
  package func full(at now: LedgerTime, under policy: BudgetPolicy) -> LedgerTime {
    let rate = BudgetRate(policy)
    return now.advanced(byMilliseconds: rate.time(toEarn: rate.capacity - level(at: now, at: rate)))
  }

  /// The earliest instant, `now` included, at which a hand-over may be charged.
  package func admission(at now: LedgerTime, under policy: BudgetPolicy) -> (at: LedgerTime, isSpacing: Bool) {
    let rate = BudgetRate(policy)
    let byTokens = now.advanced(byMilliseconds: rate.time(toEarn: rate.cost - level(at: now, at: rate)))
    guard policy.minimumInterval > 0, chargedAt != .distantPast else { return (byTokens, false) }
    let bySpacing = chargedAt.advanced(byMilliseconds: policy.minimumInterval)
    return bySpacing > byTokens ? (bySpacing, true) : (byTokens, false)
  }

  /// Takes one token. Below one token the cell ends empty: shadow mode counts without withholding.
  package mutating func charge(at now: LedgerTime, under policy: BudgetPolicy) {
    let rate = BudgetRate(policy)
    charged(to: max(0, level(at: now, at: rate) - rate.cost), at: now)
  }

  /// A charge that was made before: what replay and live work share. Like ``charge(at:under:)`` it never lets the cell
  /// go back in time, which would earn the same milliseconds twice.
  package mutating func charged(to remaining: Int64, at time: LedgerTime) {
    level = remaining
    settledAt = max(time, settledAt)
    chargedAt = settledAt
  }

  /// Whether nothing would be different if the cell were replaced by a full one: it is full, and no window of 24 h holds
  /// a charge of both. Full alone is not enough where policies change, since a small cell is soon full.
  package func isForgettable(at now: LedgerTime, under policy: BudgetPolicy) -> Bool {
    guard full(at: now, under: policy) <= now else { return false }
    return chargedAt == .distantPast || now.milliseconds(since: chargedAt) > BudgetRate.millisecondsPerDay
  }

  /// Goes over to another policy: what was earned so far stays, cut to the new capacity, so that no change of policy
  /// mints a token.
  package mutating func adopt(_ new: BudgetPolicy, from old: BudgetPolicy, at now: LedgerTime) {
    let (before, after) = (BudgetRate(old), BudgetRate(new))
    // The token of L = 1 costs one unit more, which is worth nothing elsewhere.
    let kept = level(at: now, at: before) - (before.cost > after.cost ? 1 : 0)
    level = min(max(0, kept), after.capacity)
    settledAt = max(now, settledAt)
  }
}
