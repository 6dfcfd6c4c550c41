import BudgetThrottle
import TokenStore

/// The tokens that are answered 410, in the order in which they were retired, so that the oldest is found without a look
/// at the others.
package struct RetiredTokens: Sendable {
  private typealias Entry = (row: UInt64, token: RetiredToken)

  private var entries: [RetiredToken.Key: Entry] = [:]
  /// Oldest first, from `head` on. A place whose row is not its key's any more is empty: the token was revived, or
  /// retired once more.
  private var order: [(row: UInt64, key: RetiredToken.Key)] = []
  private var head = 0
  private var nextRow: UInt64 = 1

  package init() {}

  package var count: Int { entries.count }
  /// Those that are empty included.
  var places: Int { order.count - head }

  /// For tests and simulations.
  package var all: [RetiredToken.Key: RetiredToken] { entries.mapValues(\.token) }

  package subscript(key: RetiredToken.Key) -> RetiredToken? { entries[key]?.token }

  /// - Returns: the row of the store for it, and that of an earlier time when the same token was retired.
  mutating func insert(_ token: RetiredToken) -> (row: UInt64, earlier: UInt64?) {
    let earlier = remove(token.key)
    let row = nextRow
    restore(token, row: row)
    return (row, earlier)
  }

  /// From the store, in the order of the rows.
  mutating func restore(_ token: RetiredToken, row: UInt64) {
    entries[token.key] = (row, token)
    order.append((row, token.key))
    nextRow = max(nextRow, row + 1)
  }

  /// - Returns: the row that is to go, if there was one.
  mutating func remove(_ key: RetiredToken.Key) -> UInt64? {
    defer { dropEmptyPlaces() }
    return entries.removeValue(forKey: key)?.row
  }

  /// Forgets the oldest while its time is over, or while there are more than `room`.
  /// - Parameter limit: how many places it looks at.
  /// - Returns: the rows that are to go.
  mutating func forget(at now: LedgerTime, beyond room: Int, limit: Int) -> [UInt64] {
    var rows: [UInt64] = []
    for _ in 0..<limit {
      guard head < order.count else { break }
      let (row, key) = order[head]
      if let entry = entries[key], entry.row == row {
        guard entry.token.forgottenAt <= now || entries.count > room else { break }
        entries[key] = nil
        rows.append(row)
      }
      head += 1
    }
    dropEmptyPlaces()
    return rows
  }

  /// Whether ``forget(at:beyond:limit:)`` has more to do.
  func isDue(at now: LedgerTime, beyond room: Int) -> Bool {
    guard head < order.count else { return false }
    guard let entry = entries[order[head].key], entry.row == order[head].row else { return true }
    return entry.token.forgottenAt <= now || entries.count > room
  }

  /// So rarely that it costs each retirement next to nothing.
  private mutating func dropEmptyPlaces() {
    guard order.count > 2 * entries.count + 64 else { return }
    order = order[head...].filter { entries[$0.key]?.row == $0.row }
    head = 0
  }
}
