/// How many frames of a costly kind a peer may still send: `burst` at once, `perSecond` in the long run.
///
/// Time is an argument, in milliseconds of any clock that does not step back.
struct FrameAllowance {
  private let capacity: UInt64
  private let perSecond: UInt64
  /// In thousandths of a frame, so that a millisecond's refill is a whole number.
  private var tokens: UInt64
  private var refilledAt: UInt64 = 0

  init(burst: Int, perSecond: Int) {
    capacity = UInt64(max(1, burst)) * 1000
    self.perSecond = UInt64(max(0, perSecond))
    tokens = capacity
  }

  /// Takes one frame's worth; false when there is none left.
  @inline(__always)
  mutating func spend(at now: UInt64) -> Bool {
    if now > refilledAt {
      let (refill, overflow) = (now - refilledAt).multipliedReportingOverflow(by: perSecond)
      tokens = overflow ? capacity : min(capacity, tokens &+ min(refill, capacity))
      refilledAt = now
    }
    guard tokens >= 1000 else { return false }
    tokens -= 1000
    return true
  }

  /// Gives one frame's worth back: the peer also did something useful.
  @inline(__always)
  mutating func refund() { tokens = min(capacity, tokens + 1000) }
}
