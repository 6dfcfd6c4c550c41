/// What to do about one widget now.
package enum RefreshDecision: Hashable, Sendable {
  /// Nothing is stale.
  case none
  /// The mark has died.
  case expire
  case handOver(Toll)
  case wait(until: LedgerTime, cause: Cause)

  /// How a hand-over is paid for.
  package enum Toll: UInt8, CaseIterable, Sendable {
    /// One token.
    case charged
    /// One token if there is one; shadow mode.
    case counted
    /// Budgets are off.
    case uncounted
    /// Foreground, audio or navigation.
    case exempt
    /// Developer mode.
    case bypassed

    package var takesToken: Bool { self == .charged || self == .counted }
  }

  /// What a waiting widget waits for.
  package enum Cause: UInt8, CaseIterable, Sendable {
    case budget, minimumInterval, lowPriority, asleep
    /// The device holds no stream.
    case away
    /// The device's stream has not taken the last event yet.
    case busy
  }
}
