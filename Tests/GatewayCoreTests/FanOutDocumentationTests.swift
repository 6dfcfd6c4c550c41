import BudgetThrottle
@testable import GatewayCore
import Testing
import TokenStore

/// Protects: the page shows a fan-out's object exactly as the code writes it.
@Suite("The page of fan-outs") struct FanOutDocumentationTests {
  @Test("Its example is what a fan-out of those counts is answered with")
  func example() throws {
    let id = try #require(CanonicalUUID("4084a6e4-9f6c-4f0b-8a51-7b6f3c2d1e0f"))
    let push = try #require(CanonicalUUID("D917CA4B-AE9F-4549-45F7-126FB07D027D"))
    let fanOut = FanOut(
      id: id,
      order: FanOutOrder(
        team: "TEAM", bundleID: try SampleLedger.bundleID(), environment: .development,
        push: IncomingPush(id: PushID(push), storage: .until(.distantFuture)), filter: FanOutFilter()),
      number: 1, end: 1, acceptedAt: LedgerTime(milliseconds: 0))
    fanOut.counts.matched = 9
    fanOut.counts.marked = 7
    fanOut.counts.skipped = 2
    fanOut.counts.sent = 2
    fanOut.counts.received = 1
    fanOut.counts.superseded = 1
    fanOut.counts.removed = 1
    let section = try DocumentSection(ofFile: "docs/http-api.md", titled: "Provider listener")
    let example = try section.block("json fan-out", under: "Fan-outs")
    #expect(example == String(decoding: FanOutAnswer.body(of: fanOut), as: UTF8.self) + "\n")
  }
}
