/// Wall-clock time in milliseconds since 1970-01-01 UTC. For dates that leave the process (`apns-expiration`, the
/// `timestamp` of a 410, audit entries); never for budgets, which count ledger time.
package struct UnixTime: Hashable, Comparable, Sendable, Codable {
  package var milliseconds: Int64
  package init(milliseconds: Int64) { self.milliseconds = milliseconds }
  package init(seconds: Int64) { self.milliseconds = seconds.multipliedReportingOverflow(by: 1000).partialValue }
  package var seconds: Int64 { milliseconds / 1000 }
  package static func < (left: Self, right: Self) -> Bool { left.milliseconds < right.milliseconds }
}
