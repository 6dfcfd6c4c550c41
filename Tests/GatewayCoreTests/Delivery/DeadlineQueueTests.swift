import BudgetThrottle
@testable import GatewayCore
import SeededRandom
import Testing
import TokenStore

/// Protects that every waiting registration is looked at in its time, and that waiting costs one entry each.
@Suite("Deadline queue") struct DeadlineQueueTests {
  private static func registrations(_ count: UInt64, on device: DeviceState) throws -> [RegistrationState] {
    let app = App(try SampleLedger.bundleID())
    let token = try SampleLedger.token(1)
    return (0..<count).map {
      RegistrationState(id: $0, app: app, device: device, environment: .development, token: token)
    }
  }

  @Test("It agrees with a dictionary of times, whatever is asked, moved, taken away or due", arguments: Seeds.usual(30))
  func likeDictionary(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let device = SampleLedger().device()
    let all = try Self.registrations(40, on: device)
    var queue = DeadlineQueue()
    var plain: [UInt64: Int64] = [:]
    var now: Int64 = 0
    for _ in 0..<1500 {
      let one = all[Int.random(in: 0..<all.count, using: &random)]
      switch Int.random(in: 0..<8, using: &random) {
      case 0:
        queue.remove(one)
        plain[one.id] = nil
      case 1:
        now += Int64.random(in: 0...40, using: &random)
        var due: [Int64] = []
        while let next = queue.popDue(at: LedgerTime(milliseconds: now)) {
          let time = plain.removeValue(forKey: next.id)
          due.append(try #require(time))
        }
        #expect(due == due.sorted())
        #expect(plain.values.allSatisfy { $0 > now }, "someone was due and did not come")
      default:
        let at = now + Int64.random(in: 1...100, using: &random)
        queue.schedule(one, at: LedgerTime(milliseconds: at))
        plain[one.id] = min(at, plain[one.id] ?? .max)
      }
      #expect(queue.count == plain.count)
      #expect(queue.next?.milliseconds == plain.values.min())
    }
  }

  @Test("An earlier time moves the entry, a later one and never change nothing")
  func moves() throws {
    let device = SampleLedger().device()
    let one = try Self.registrations(1, on: device)[0]
    var queue = DeadlineQueue()
    queue.schedule(one, at: .distantFuture)
    #expect(queue.next == nil)
    for at in [100, 50, 200] as [Int64] { queue.schedule(one, at: LedgerTime(milliseconds: at)) }
    #expect(queue.count == 1)
    #expect(queue.next == LedgerTime(milliseconds: 50))
    #expect(queue.popDue(at: LedgerTime(milliseconds: 49)) == nil)
    #expect(queue.popDue(at: LedgerTime(milliseconds: 50)) === one)
    #expect(queue.popDue(at: .distantFuture) == nil)
    queue.remove(one)
    #expect(queue.count == 0)
  }
}
