package import BudgetThrottle

/// How many devices one enrolment key lets in: at most so many in all, and at most so many a minute.
///
/// The rate is a bucket as large as one minute's allowance, counted in tokens times milliseconds, so that nothing is
/// lost to rounding.
package struct EnrolmentQuota: Equatable, Sendable {
  package let maximumDevices: Int
  /// 0 = no limit.
  package let perMinute: Int

  /// What is left, times 60 000.
  private var level: Int64
  private var filled: LedgerTime

  private static let minute: Int64 = 60_000
  /// Keeps the arithmetic within 64 bits; nobody enrols as fast.
  private static let largestRate = 1_000_000_000

  package init(maximumDevices: Int, perMinute: Int, now: LedgerTime) {
    self.maximumDevices = maximumDevices
    self.perMinute = min(max(perMinute, 0), Self.largestRate)
    level = Int64(self.perMinute) * Self.minute
    filled = now
  }

  /// Lets one device in, and counts it, or says why not. Devices that are refused count for nothing.
  ///
  /// - Parameter enrolled: devices that are enrolled with this key now.
  package mutating func admit(enrolled: Int, now: LedgerTime) -> DeviceRefusal? {
    guard enrolled < maximumDevices else { return DeviceRefusal(.enrolmentFull) }
    guard perMinute > 0 else { return nil }
    refill(at: now)
    guard level >= Self.minute else {
      let milliseconds = (Self.minute - level + Int64(perMinute) - 1) / Int64(perMinute)
      return DeviceRefusal(.enrolmentLimit, retryAfter: Int((milliseconds + 999) / 1000))
    }
    level -= Self.minute
    return nil
  }

  /// Whether it is as if nothing had ever been counted.
  package mutating func isFull(at now: LedgerTime) -> Bool {
    refill(at: now)
    return level == Int64(perMinute) * Self.minute
  }

  private mutating func refill(at now: LedgerTime) {
    let elapsed = min(max(now.milliseconds(since: filled), 0), Self.minute)
    level = min(level + elapsed * Int64(perMinute), Int64(perMinute) * Self.minute)
    filled = max(now, filled)
  }
}
