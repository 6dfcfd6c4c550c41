import Testing

@testable import gatewayctl

/// Protects the percentiles of the simulator's report: what is said of millions of values without keeping them.
@Suite("Distribution of values") struct DistributionTests {
  @Test("A percentile is never below the exact one, and at most 1/32 above it", arguments: [0.0, 0.5, 0.9, 0.99, 1])
  func close(share: Double) throws {
    var random = SeededGenerator(seed: 5)
    let values = (0..<5000).map { _ in random.next() % 1 << (random.next() % 40) }.map { $0 % 3_000_000_000 }
    var distribution = Distribution()
    for value in values { distribution.add(value) }
    let exact = values.sorted()[max(1, Int((share * 5000).rounded(.up))) - 1]
    let said = try #require(distribution.percentile(share))
    #expect(said >= exact)
    #expect(Double(said) <= Double(exact) * (1 + 1.0 / 32) + 1)
  }

  @Test("Small values are exact, the greatest is kept, and nothing says nothing") func exact() {
    var distribution = Distribution()
    #expect(distribution.percentile(0.5) == nil)
    for value: UInt64 in [1, 2, 3, 60, 63, 64] { distribution.add(value) }
    #expect([0.1, 0.5, 0.7, 1].map { distribution.percentile($0) } == [1, 3, 63, 64])
    distribution.add(.max)
    #expect(distribution.percentile(1) == .max)
    #expect(distribution.count == 7)
  }

  @Test("Two added up are as one of both") func sum() {
    var (left, right, both) = (Distribution(), Distribution(), Distribution())
    for value: UInt64 in 0..<500 {
      left.add(value)
      right.add(value * 1000)
      both.add(value)
      both.add(value * 1000)
    }
    left.add(right)
    for share in [0.01, 0.3, 0.5, 0.77, 1] { #expect(left.percentile(share) == both.percentile(share)) }
    #expect(left.count == both.count)
  }
}
