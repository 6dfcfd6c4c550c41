import BudgetThrottle
@testable import GatewayCore
import Testing

/// Protects that what was decided lately can be told, in order, at a fixed cost.
@Suite("Decision log") struct DecisionLogTests {
  private static func log(_ count: Int, capacity: Int) -> [UInt64] {
    var log = DecisionLog(capacity: capacity)
    for number in 0..<count {
      log.record(
        Decision(
          at: LedgerTime(milliseconds: Int64(number)), registration: UInt64(number),
          push: PushContent(number: 0, id: SampleLedger.pushID(0), payload: nil), widgets: WidgetSet(),
          outcome: .marked))
    }
    return log.decisions { _ in true }.map(\.registration)
  }

  @Test("It keeps the newest, oldest first, also when its ring has gone round", arguments: 0...12)
  func ring(count: Int) {
    #expect(Self.log(count, capacity: 5) == (max(0, count - 5)..<max(0, count)).map { UInt64($0) })
  }

  @Test("Without room it keeps nothing")
  func none() { #expect(Self.log(3, capacity: 0).isEmpty) }
}
