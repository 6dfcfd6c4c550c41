/// Whether a batch waits for company: what costs a commit is mostly the same for one push and for hundreds, and pushes that
/// come together are read in several turns. It waits for nothing but what is at the door already, and not for long.
struct BatchHold {
  /// About what a commit takes; nanoseconds.
  static let longest: Int64 = 1_000_000

  /// Boot nanoseconds.
  private var heldSince: Int64?

  /// To be asked at the end of each turn.
  /// - Parameters:
  ///   - isEmpty: there is no batch.
  ///   - isQuiet: nothing more had come in this turn.
  ///   - now: boot nanoseconds.
  mutating func holds(isEmpty: Bool, isQuiet: Bool, at now: Int64) -> Bool {
    guard !isEmpty, !isQuiet, now - (heldSince ?? now) < Self.longest else {
      heldSince = nil
      return false
    }
    heldSince = heldSince ?? now
    return true
  }
}
