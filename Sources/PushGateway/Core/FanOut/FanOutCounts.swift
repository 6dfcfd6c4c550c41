/// What became of a fan-out's widgets; each number counts widgets.
///
/// At any moment `marked` is `sent` + ``deferred`` + `dropped` + `superseded` + `expired` + `removed`.
package struct FanOutCounts: Hashable, Sendable {
  /// What befell widgets whose newest push a fan-out is.
  package enum Fate: Sendable { case sent, received, dropped, superseded, expired, removed }

  /// Met so far, and within the filter.
  package var matched = 0
  /// Told of the push, those included that had to be dropped at once.
  package var marked = 0
  /// Had seen a newer push already.
  package var skipped = 0
  package var sent = 0
  /// Confirmed by their devices; these are among `sent`.
  package var received = 0
  package var dropped = 0
  package var superseded = 0
  package var expired = 0
  package var removed = 0

  package init() {}

  /// Marked, and waiting for their devices or budgets.
  package var deferred: Int { marked - sent - dropped - superseded - expired - removed }

  mutating func add(_ count: Int, as fate: Fate) {
    switch fate {
    case .sent: sent += count
    case .received: received += count
    case .dropped: dropped += count
    case .superseded: superseded += count
    case .expired: expired += count
    case .removed: removed += count
    }
  }
}
