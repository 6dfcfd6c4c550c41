package import BudgetThrottle

/// How many refused pushes one connection may still have. APNs disconnects a provider that makes too many errors, sooner
/// when they are `BadDeviceToken`, and counts no 410 (Apple: Handling notification responses from APNs); its numbers are
/// not published.
///
/// So many at once, and as many a minute in the long run; each accepted push makes one good. Not counted is what is no
/// fault of the request: 410, a `TooManyRequests`, which says how long to wait, and 5xx.
package struct RefusalAllowance: Sendable {
  /// A refusal's worth of tokens; a millisecond refills a whole number of them.
  private static let unit: Int64 = 60_000

  private let perMinute: Int64
  private var tokens: Int64
  private var refilledAt: LedgerTime

  /// - Parameter perMinute: 0 = no limit.
  package init(perMinute: Int, at now: LedgerTime) {
    self.perMinute = Int64(clamping: max(0, perMinute))
    tokens = Self.capacity(self.perMinute)
    refilledAt = now
  }

  /// Takes note of one refusal.
  /// - Returns: false when it is one too many.
  package mutating func spend(_ reason: RejectionReason, at now: LedgerTime) -> Bool {
    let weight = Self.weight(of: reason)
    guard perMinute > 0, weight > 0 else { return true }
    let (refill, isBeyond) = max(0, now.milliseconds(since: refilledAt)).multipliedReportingOverflow(by: perMinute)
    add(isBeyond ? .max : refill)
    refilledAt = max(refilledAt, now)
    guard tokens >= weight * Self.unit else { return false }
    tokens -= weight * Self.unit
    return true
  }

  /// So many pushes were accepted.
  package mutating func refund(_ count: Int) { add(Int64(count) * Self.unit) }

  /// What a refusal counts; 0 = not at all.
  package static func weight(of reason: RejectionReason) -> Int64 {
    switch reason {
    case .badDeviceToken: 2
    case .tooManyRequests: 0
    default: reason.status == 410 || reason.status >= 500 ? 0 : 1
    }
  }

  private mutating func add(_ amount: Int64) {
    let (sum, isBeyond) = tokens.addingReportingOverflow(amount)
    tokens = isBeyond ? Self.capacity(perMinute) : min(sum, Self.capacity(perMinute))
  }

  private static func capacity(_ perMinute: Int64) -> Int64 {
    let (product, isBeyond) = perMinute.multipliedReportingOverflow(by: unit)
    return isBeyond ? .max : product
  }
}
