/// How long to wait before a failed commit is tried again: twice as long each time, up to a limit.
package struct RetryDelay: Sendable {
  private let first: Duration
  private let longest: Duration
  private var upcoming: Duration

  package init(first: Duration = .milliseconds(50), longest: Duration = .seconds(1)) {
    self.first = first
    self.longest = longest
    upcoming = min(first, longest)
  }

  package mutating func next() -> Duration {
    defer { upcoming = min(upcoming * 2, longest) }
    return upcoming
  }

  /// After a success the next failure waits shortly again.
  package mutating func reset() { upcoming = min(first, longest) }
}
