import Foundation

/// Which seeds a property test plays. Each is an argument of its test, so a failure names it.
///
/// `GATEWAYD_SEED=42` plays only that one; `GATEWAYD_SEEDS=100` plays a hundred times as many as usual.
package enum Seeds {
  package static func usual(_ count: UInt64) -> [UInt64] {
    let environment = ProcessInfo.processInfo.environment
    if let seed = environment["GATEWAYD_SEED"].flatMap({ UInt64($0) }) { return [seed] }
    return Array(1...count * (environment["GATEWAYD_SEEDS"].flatMap { UInt64($0) } ?? 1))
  }
}
