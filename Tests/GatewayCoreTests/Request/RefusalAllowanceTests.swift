import BudgetThrottle
import GatewayCore
import Testing

/// Protects the gateway from a provider that goes on with what is refused, and a provider with a few bad requests among
/// its good ones from being cut off.
@Suite("Errors that a connection may have") struct RefusalAllowanceTests {
  private let start = LedgerTime(milliseconds: 1_000)

  private func spend(_ allowance: inout RefusalAllowance, _ reason: RejectionReason, at now: LedgerTime) -> Bool {
    allowance.spend(reason, at: now)
  }

  private func spent(_ allowance: inout RefusalAllowance, on reason: RejectionReason, at now: LedgerTime) -> Int {
    var count = 0
    while count < 100_000, allowance.spend(reason, at: now) { count += 1 }
    return count
  }

  @Test("So many at once, and no more")
  func burst() {
    var allowance = RefusalAllowance(perMinute: 10, at: start)
    #expect(spent(&allowance, on: .badTopic, at: start) == 10)
    #expect(!spend(&allowance, .badTopic, at: start))
  }

  @Test("BadDeviceToken ends a connection sooner")
  func badDeviceTokens() {
    var allowance = RefusalAllowance(perMinute: 10, at: start)
    #expect(spent(&allowance, on: .badDeviceToken, at: start) == 5)
  }

  @Test(
    "What is no fault of the request does not count",
    arguments: [
      .unregistered, .expiredToken, .tooManyRequests, .internalServerError, .serviceUnavailable, .shutdown,
    ] as [RejectionReason])
  func uncounted(reason: RejectionReason) {
    var allowance = RefusalAllowance(perMinute: 1, at: start)
    #expect(spent(&allowance, on: reason, at: start) == 100_000)
  }

  @Test("Every other reason counts once")
  func counted() {
    let free: Set<RejectionReason> = [
      .unregistered, .expiredToken, .tooManyRequests, .internalServerError, .serviceUnavailable, .shutdown,
      .badDeviceToken,
    ]
    for reason in RejectionReason.allCases where !free.contains(reason) {
      #expect(RefusalAllowance.weight(of: reason) == 1, "\(reason)")
    }
  }

  @Test("They come back with time, to the millisecond, and never beyond a minute's worth")
  func refill() {
    var allowance = RefusalAllowance(perMinute: 60, at: start)
    #expect(spent(&allowance, on: .badPath, at: start) == 60)
    #expect(!spend(&allowance, .badPath, at: start.advanced(byMilliseconds: 999)))
    #expect(spend(&allowance, .badPath, at: start.advanced(byMilliseconds: 1000)))
    #expect(!spend(&allowance, .badPath, at: start.advanced(byMilliseconds: 1000)))
    #expect(spent(&allowance, on: .badPath, at: start.advanced(byMilliseconds: 10_000_000)) == 60)
    #expect(spent(&allowance, on: .badPath, at: .distantFuture) == 60)
  }

  @Test("An accepted push makes one good: a mixture never ends, however long")
  func refunds() {
    var allowance = RefusalAllowance(perMinute: 2, at: start)
    for _ in 0..<1000 {
      #expect(spend(&allowance, .badTopic, at: start))
      allowance.refund(1)
    }
    // No stock of good deeds.
    for _ in 0..<1000 { allowance.refund(1) }
    #expect(spent(&allowance, on: .badTopic, at: start) == 2)
  }

  @Test("0 is no limit")
  func none() {
    var allowance = RefusalAllowance(perMinute: 0, at: start)
    #expect(spent(&allowance, on: .badDeviceToken, at: start) == 100_000)
  }
}
