import BudgetThrottle
import TokenStore

/// The machine that the gateway runs on, as its clocks show it: milliseconds.
struct Machine {
  /// Since boot, suspend included; all that a running ledger sees.
  private(set) var boot: Int64 = 90_000
  /// The wall clock, which people and time servers set.
  private(set) var wall: Int64 = 1_772_000_000_000
  private(set) var bootNumber = 1
  /// How long the world has lasted. Nothing on the machine knows it.
  private(set) var lived: Int64 = 0

  var bootID: String { "boot \(bootNumber)" }
  var wallTime: UnixTime { UnixTime(milliseconds: wall) }

  mutating func pass(_ milliseconds: Int64) {
    boot += milliseconds
    wall += milliseconds
    lived += milliseconds
  }

  mutating func stepWall(by milliseconds: Int64) { wall += milliseconds }

  mutating func reboot() {
    boot = 5_000
    bootNumber += 1
  }
}
