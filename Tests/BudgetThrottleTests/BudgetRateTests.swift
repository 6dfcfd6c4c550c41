import BudgetThrottle
import Testing

/// Protects that a policy is turned into integers without losing or gaining a millisecond.
@Suite("A policy as exact integers") struct BudgetRateTests {
  @Test(
    "The default burst is a tenth of the limit, at least 1 and at most 4",
    arguments: [(1, 1), (2, 1), (9, 1), (19, 1), (20, 2), (30, 3), (39, 3), (40, 4), (50, 4), (1_000_000, 4)])
  func defaultBurst(limit: Int, burst: Int) {
    #expect(BudgetPolicy(refreshesPerDay: limit).burst == burst)
  }

  @Test("Burst and a day's refill together are the limit", arguments: [2, 3, 50, 70, 86_404, 1_000_000])
  func refill(limit: Int) {
    for burst in Set([1, 2, limit / 2, limit - 1]) where (1..<limit).contains(burst) {
      let rate = BudgetRate(.limit(limit, burst: burst))
      #expect(rate.capacity / rate.cost == Int64(burst))
      #expect(rate.capacity + rate.refill * day == Int64(limit) * rate.cost)
    }
  }

  @Test("A limit of one refills within a day and one millisecond, not within a day")
  func one() {
    let rate = BudgetRate(.limit(1))
    #expect(rate.capacity == rate.cost)
    #expect(rate.time(toEarn: rate.cost) == day + 1)
  }

  @Test(
    "A burst that leaves no refill, and limits out of range, are brought into range and never divide by zero",
    arguments: [(5, 5, 4, 1), (5, 99, 4, 1), (5, 0, 1, 4), (5, -3, 1, 4), (2, 2, 1, 1), (2_000_000, 4, 4, 999_996)])
  func clamped(limit: Int, burst: Int, capacity: Int64, refill: Int64) {
    let rate = BudgetRate(.limit(limit, burst: burst))
    #expect(rate.capacity == capacity * token)
    #expect(rate.refill == refill)
  }

  @Test("Limits below one count as one", arguments: [0, -1, Int.min])
  func belowOne(limit: Int) {
    #expect(BudgetRate(.limit(limit, burst: 1)).capacity == BudgetRate(.limit(1)).capacity)
  }

  @Test("The time to earn something is rounded up, and nothing takes no time")
  func roundedUp() {
    let rate = BudgetRate(.limit(50))
    #expect(rate.refill == 46)
    #expect(rate.time(toEarn: 0) == 0)
    #expect(rate.time(toEarn: -5) == 0)
    #expect(rate.time(toEarn: 1) == 1)
    #expect(rate.time(toEarn: 46) == 1)
    #expect(rate.time(toEarn: 47) == 2)
    #expect(rate.time(toEarn: token) == 1_878_261)
  }
}
