import BudgetThrottle
import TokenStore
import Testing

@testable import GatewayCore

/// Protects memory from an audit that only grows, and explain from naming the wrong grant.
@Suite("Audit") struct AuditTests {
  private static func entry(_ number: Int) throws -> AuditEntry {
    AuditEntry(
      at: UnixTime(milliseconds: Int64(number)), action: .developerModeOn,
      subject: .developerMode(.app(try SampleLedger.bundleID())), who: "ann", why: "\(number)", by: .deviceSwitch,
      until: nil)
  }

  @Test("Places stay what they are, and memory keeps the newest", arguments: [0, 1, 7, 14, 15, 100])
  func window(count: Int) throws {
    var audit = Audit(capacity: 7)
    for number in 0..<count {
      audit.append(try Self.entry(number))
      #expect(audit[number]?.why == "\(number)")
    }
    #expect(audit.count == count)
    #expect(audit.remembered.map(\.why) == (max(0, count - 7)..<count).map { "\($0)" })
    for place in max(0, count - 7)..<count { #expect(audit[place]?.why == "\(place)") }
    #expect(audit[-1] == nil)
    #expect(audit[count] == nil)
    if count > 14 { #expect(audit[0] == nil) }
  }

  @Test("A restart numbers them as before, also where rows are missing")
  func restored() throws {
    var audit = Audit(capacity: 7)
    for row in UInt64(1)...3 { audit.restore(try Self.entry(Int(row)), row: row) }
    #expect(audit[2]?.why == "3")
    audit.restore(try Self.entry(9), row: 9)
    #expect(audit.count == 9)
    #expect(audit[8]?.why == "9")
    #expect(audit[2] == nil)
  }
}
