/// Counts by upper bound, as Prometheus reads them.
struct Histogram {
  /// Seconds, ascending; what is above the last counts in a class of its own.
  let bounds: [Double]
  private(set) var counts: [UInt64]
  private(set) var sum = 0.0

  init(bounds: [Double]) {
    self.bounds = bounds
    counts = Array(repeating: 0, count: bounds.count + 1)
  }

  mutating func observe(_ value: Double) {
    sum += value
    var index = 0
    while index < bounds.count, value > bounds[index] { index += 1 }
    counts[index] += 1
  }
}
