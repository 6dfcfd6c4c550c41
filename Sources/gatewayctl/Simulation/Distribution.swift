/// How values spread, in constant memory: 32 buckets for each power of two, so that a percentile is at most 1/32 above
/// what a list of all values would say.
struct Distribution {
  private static let step: UInt64 = 32

  private var buckets: [Int] = []
  private(set) var count = 0
  private(set) var maximum: UInt64 = 0

  mutating func add(_ value: UInt64) {
    let index = Self.bucket(of: value)
    if index >= buckets.count { buckets += [Int](repeating: 0, count: index + 1 - buckets.count) }
    buckets[index] += 1
    count += 1
    maximum = max(maximum, value)
  }

  mutating func add(_ other: Distribution) {
    if other.buckets.count > buckets.count {
      buckets += [Int](repeating: 0, count: other.buckets.count - buckets.count)
    }
    for (index, value) in other.buckets.enumerated() { buckets[index] += value }
    count += other.count
    maximum = max(maximum, other.maximum)
  }

  /// The least value that at least `share` of all (0 to 1) do not exceed, rounded up to its bucket's end; nil without
  /// values.
  func percentile(_ share: Double) -> UInt64? {
    guard count > 0 else { return nil }
    let rank = max(1, Int((share * Double(count)).rounded(.up)))
    var seen = 0
    for (index, value) in buckets.enumerated() {
      seen += value
      if seen >= rank { return min(Self.last(of: index), maximum) }
    }
    return maximum
  }

  private static func bucket(of value: UInt64) -> Int {
    guard value >= 2 * step else { return Int(value) }
    let shift = 64 - value.leadingZeroBitCount - 6
    return (shift + 1) * Int(step) + Int(value >> UInt64(shift)) - Int(step)
  }

  /// The greatest value of a bucket.
  private static func last(of index: Int) -> UInt64 {
    guard index >= 2 * Int(step) else { return UInt64(index) }
    let shift = UInt64(index / Int(step) - 1)
    let mantissa = UInt64(index % Int(step)) + step
    return (mantissa << shift) | ((1 << shift) - 1)
  }
}
