import BudgetThrottle
@testable import GatewayCore
import Testing
import TokenStore

/// Protects deferral: whoever waits is handed over at the millisecond at which its budget admits it, and whoever is not
/// due is not looked at. `LedgerBenchmark` does the same with a million.
@Suite("Very many widgets wait for their budgets") struct WakeTests {
  private static let count = 2000

  private let sample = SampleLedger()
  /// When each device's budget returns, by its stream.
  private var due: [SessionID: LedgerTime] = [:]

  init() throws {
    for number in 0..<UInt64(Self.count) {
      let device = sample.device(number + 1)
      let token = try #require(DeviceToken(bytes: withUnsafeBytes(of: number.bigEndian) { Array($0) }))
      let registration = try sample.register(SampleLedger.widgets("cup"), on: device, token: token)
      let session = sample.attach(device)
      for _ in 0..<5 {
        sample.push(to: registration)
        sample.ledger.outputEmptied(session, of: device, at: sample.now)
      }
      let policy = sample.ledger.rules.budget.standard
      due[session] = registration.states[0].cell.admission(at: sample.now, under: policy).at
      // Some return together, most do not.
      if number % 3 > 0 { sample.pass(Int64(number % 7)) }
    }
    _ = sample.deliveries()
  }

  @Test("Each is handed over at its very millisecond, and looked at once")
  func onTime() {
    #expect(sample.ledger.deadlines.count == Self.count)
    var handedOver = 0
    while let next = sample.ledger.nextWake {
      sample.now = next.advanced(byMilliseconds: -1)
      let looked = sample.ledger.counters.registrationsWoken
      #expect(!sample.ledger.wake(at: sample.now))
      #expect(sample.ledger.counters.registrationsWoken == looked, "nobody is looked at before its time")
      sample.now = next
      while sample.ledger.wake(at: next, limit: 2) {}
      for refresh in sample.refreshes() {
        #expect(due[refresh.session] == next)
        handedOver += 1
      }
    }
    #expect(handedOver == Self.count)
    #expect(sample.ledger.counters.registrationsWoken == UInt64(Self.count))
  }

  @Test("After a suspend all that came due go in slices, and the rest goes on waiting")
  func inSlices() {
    let times = due.values.sorted()
    let middle = times[Self.count / 2]
    let wanted = times.count { $0 <= middle }
    sample.now = middle
    var slices = 1
    while sample.ledger.wake(at: middle, limit: 100) { slices += 1 }
    #expect(sample.refreshes().count == wanted)
    #expect(slices == (wanted + 99) / 100 || slices == wanted / 100 + 1)
    #expect(sample.ledger.counters.registrationsWoken == UInt64(wanted))
    #expect(sample.ledger.deadlines.count == Self.count - wanted)
  }

  @Test("Of devices that have gone nobody is looked at, and those that come back are handed what came due meanwhile")
  func awayCostsNothing() throws {
    var sessions: [SessionID: DeviceState] = [:]
    for device in sample.ledger.devices {
      if case .attached(let session, _) = device.link { sessions[session] = device }
    }
    for (session, device) in sessions { sample.ledger.detach(device, session: session) }
    #expect(sample.ledger.nextWake == nil)
    sample.now = try #require(due.values.max())
    #expect(!sample.ledger.wake(at: sample.now))
    #expect(sample.ledger.counters.registrationsWoken == 0)
    let one = try #require(sessions.values.first)
    sample.ledger.attach(
      one, as: SessionID(rawValue: 1_000_000), last: EventID(epoch: 7, sequence: .max >> 1), at: sample.now)
    sample.ledger.outputEmptied(SessionID(rawValue: 1_000_000), of: one, at: sample.now)
    let handedOver = sample.refreshes().filter { $0.session == SessionID(rawValue: 1_000_000) }
    #expect(handedOver.last?.push.number == one.registrations.first?.accounts[0].lastNumber)
  }
}
