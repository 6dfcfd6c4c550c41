package import TokenStore

/// What the ledger says of a push.
package enum PushVerdict: Equatable, Sendable {
  /// 200. The push has this number.
  case accepted(Tally, number: UInt64)
  /// 200, and nothing was marked: this `apns-id` was accepted before. The request has a number of its own.
  case duplicate(number: UInt64)
  case denied(Denial)

  package enum Denial: Equatable, Sendable {
    case unknownToken
    case unregistered(at: UnixTime)
    case tokenForOtherTopic
    /// Too many pushes to this token; seconds to wait, at least 1.
    case flood(retryAfter: Int)
    /// Every widget lacks budget, and `over-budget` is `reject`.
    case overBudget(Exhaustion)
  }

  /// Counts widgets: handed over, still marked, dropped for expiration 0. `retry` is the number of seconds, at least 1,
  /// until a budget admits one of the deferred; nil if only the device's absence holds them.
  package struct Tally: Equatable, Sendable {
    package var sent = 0
    package var deferred = 0
    package var dropped = 0
    package var retry: Int?

    package init(sent: Int = 0, deferred: Int = 0, dropped: Int = 0, retry: Int? = nil) {
      self.sent = sent
      self.deferred = deferred
      self.dropped = dropped
      self.retry = retry
    }
  }

  /// Of the widget whose budget returns first.
  package struct Exhaustion: Equatable, Sendable {
    /// Seconds, rounded up, at least 1: a client that waits exactly this long passes.
    package var retryAfter: Int
    package var limit: Int
    package var remaining: Int
    /// Seconds to the next token, rounded up.
    package var reset: Int
  }
}
