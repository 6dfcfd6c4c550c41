/// Whether a batch waits for company: what costs a commit is mostly the same for one push and for hundreds, and pushes that
/// come together are read in several turns. It waits only while turns bring anything, and not for long.
struct BatchHold {
  /// About what a commit takes; nanoseconds. A turn that takes longer is followed by no wait.
  static let longest: Int64 = 1_000_000

  /// Boot nanoseconds.
  private var since: Int64?

  /// To be called at the end of each turn.
  /// - Parameters:
  ///   - isEmpty: there is no batch.
  ///   - isQuiet: nothing more had come in this turn.
  ///   - begun: when this turn began; boot nanoseconds.
  ///   - now: the same clock.
  /// - Returns: whether the batch waits for the next turn.
  mutating func hold(isEmpty: Bool, isQuiet: Bool, begun: Int64, now: Int64) -> Bool {
    let since = since ?? begun
    let holds = !isEmpty && !isQuiet && now - since < Self.longest
    self.since = holds ? since : nil
    return holds
  }
}
