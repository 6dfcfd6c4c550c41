/// Says that a widget is stale. A push is a level and not an edge: marking a marked widget joins.
package struct Mark: Hashable, Sendable {
  /// The newest push; its id and payload are kept beside, by number.
  package var number: UInt64
  /// The latest of all joined; the mark dies at this instant.
  package var expires: LedgerTime
  /// When the oldest of all joined came, which the low-priority window counts from.
  package var first: LedgerTime
  /// The highest of all joined.
  package var priority: RefreshPriority

  package init(number: UInt64, expires: LedgerTime, first: LedgerTime, priority: RefreshPriority) {
    self.number = number
    self.expires = expires
    self.first = first
    self.priority = priority
  }

  /// What stands once `newer` has come: this mark with the newer one joined to it. One that has died by then joins
  /// nothing, also while nobody has buried it: neither its priority nor its time speak for the new one.
  package func renewed(by newer: Mark) -> Mark { expires > newer.first ? joined(with: newer) : newer }

  /// This mark with `newer` joined to it.
  package func joined(with newer: Mark) -> Mark {
    Mark(
      number: max(number, newer.number), expires: max(expires, newer.expires), first: min(first, newer.first),
      priority: max(priority, newer.priority))
  }
}
