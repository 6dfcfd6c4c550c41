@testable import GatewayCore
import LedgerSimulation
import Testing
import TokenStore

/// Protects memory against devices that come and go for ever.
@Suite("What nobody needs any more is forgotten") struct ForgettingTests {
  private let sample = SampleLedger()

  @Test("An app is remembered as long as somebody has it, or may have it again")
  func apps() throws {
    for number in UInt64(1)...50 {
      let device = sample.device(number)
      try sample.register(SampleLedger.widgets("cup"), on: device, app: "app\(number)", fresh: UInt8(number))
      if number <= 40 { sample.ledger.leave(device, at: sample.now, wall: sample.wall) }
    }
    #expect(sample.ledger.apps.count == 10)
    #expect(sample.ledger.presence.count == 10)
    let removed = try #require(sample.ledger.registrations.first)
    sample.ledger.remove(removed, at: sample.now, wall: sample.wall)
    #expect(sample.ledger.presence[removed.app.bundleID]?.count == 0)
    sample.ledger.tidy(at: sample.now, wall: sample.wall)
    while sample.ledger.tidyMore(at: sample.now) {}
    #expect(sample.ledger.presence[removed.app.bundleID] == nil)
    #expect(sample.ledger.apps.count == 9)
    sample.commit()
    try sample.crash()
    #expect(sample.ledger.apps.count == 9)
    #expect(sample.ledger.presence.count == 9)
  }

  @Test("Beyond as many as there are registrations the oldest retired tokens go, in memory and in the store")
  func retiredTokens() throws {
    sample.ledger.retiredAtLeast = 16
    for number in UInt64(1)...100 {
      let device = sample.device(number)
      try sample.register([], on: device, fresh: UInt8(number))
      sample.ledger.leave(device, at: sample.now, wall: sample.wall)
      #expect(sample.ledger.retired.count <= 18)
    }
    let newest = RetiredToken.Key(token: try SampleLedger.token(100), environment: .development)
    let oldest = RetiredToken.Key(token: try SampleLedger.token(1), environment: .development)
    #expect(sample.ledger.retired[newest] != nil)
    #expect(sample.ledger.retired[oldest] == nil)
    sample.commit()
    #expect(sample.store.rows[.retiredToken]?.count == sample.ledger.retired.count)
  }
}
