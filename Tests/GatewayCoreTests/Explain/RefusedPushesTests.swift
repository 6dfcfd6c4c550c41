@testable import GatewayCore
import Testing
import TokenStore

/// Protects that refused pushes can be asked for, with the check that refused them, and that strangers wash out only
/// strangers.
@Suite("Refused pushes") struct RefusedPushesTests {
  private static func push(_ number: UInt64, _ check: PushCheck?) -> RefusedPush {
    RefusedPush(
      at: UnixTime(milliseconds: Int64(number)), environment: .development, id: SampleLedger.pushID(number), token: nil,
      topic: nil, reason: .badTopic, detail: nil, check: check)
  }

  @Test("A flood without credentials leaves those with one alone, and both are bounded")
  func flood() {
    var log = RefusedPushes(capacity: 5)
    for number in UInt64(0)..<7 { log.record(Self.push(number, .topic), hasCredential: true) }
    for number in UInt64(0)..<10_000 { log.record(Self.push(number, .providerCredential), hasCredential: false) }
    #expect(log.refused().map(\.at.milliseconds) == [6, 5, 4, 3, 2], "the newest first")
    #expect(log.strange().count == RefusedPushes.strangerCapacity)
    #expect(log.strange(last: 2).map(\.at.milliseconds) == [9999, 9998])
    #expect(log.refused(last: 1) { $0.at.milliseconds < 4 }.map(\.at.milliseconds) == [3])
    log.resize(to: 2)
    #expect(log.refused().map(\.at.milliseconds) == [6, 5])
    log.resize(to: 3)
    log.record(Self.push(8, .topic), hasCredential: true)
    #expect(log.refused().map(\.at.milliseconds) == [8, 6, 5])
  }

  @Test("Every reason that can refuse a push belongs to a check", arguments: RejectionReason.allCases)
  func checks(reason: RejectionReason) {
    let check = PushCheck(refusing: reason, readsType: true, readsToken: true)
    let connectionOnly: Set<RejectionReason> = [.idleTimeout, .internalServerError, .shutdown]
    #expect((check == nil) == connectionOnly.contains(reason))
  }

  @Test("Two reasons stand for two checks, told apart by what can be read")
  func ambiguous() {
    func check(_ reason: RejectionReason, _ reads: Bool) -> PushCheck? {
      PushCheck(refusing: reason, readsType: reads, readsToken: reads)
    }
    #expect(check(.invalidPushType, false) == .pushTypeValue)
    #expect(check(.invalidPushType, true) == .pushTypeForTopic)
    #expect(check(.badDeviceToken, false) == .token)
    #expect(check(.badDeviceToken, true) == .tokenKnown)
  }
}
