/// What operators and device switches did. It only grows; memory keeps the newest, the store keeps all.
package struct Audit: Sendable {
  /// What an entry is known by for ever: its place from the first, 0 or more. Its row in the store has the next number.
  package typealias Place = Int

  private let capacity: Int
  /// The newest, up to twice ``capacity``; dropped in one go, so that most entries move nothing.
  private var entries: [AuditEntry] = []
  private var first: Place = 0

  package init(capacity: Int = 4096) { self.capacity = capacity }

  /// How many there ever were.
  package var count: Int { first + entries.count }

  /// The newest, oldest first.
  package var remembered: ArraySlice<AuditEntry> { entries.suffix(capacity) }

  /// nil for what memory does not hold any more.
  package subscript(place: Place) -> AuditEntry? {
    place >= first && place < count ? entries[place - first] : nil
  }

  mutating func append(_ entry: AuditEntry) {
    if entries.count >= 2 * capacity {
      let surplus = entries.count - capacity
      entries.removeFirst(surplus)
      first += surplus
    }
    entries.append(entry)
  }

  /// From the store, in the order of the rows. Rows that are missing leave a gap, before which nothing is remembered.
  mutating func restore(_ entry: AuditEntry, row: UInt64) {
    let place = Int(clamping: row) - 1
    if place != count {
      entries = []
      first = max(0, place)
    }
    append(entry)
  }
}
