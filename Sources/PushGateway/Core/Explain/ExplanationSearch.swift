/// The search for what was decided about one device lately. The trail is long and the ledger has pushes to decide, so it is
/// read a part at a time; what is decided meanwhile is not told.
package struct ExplanationSearch: Sendable {
  private var walk: TrailWalk
  private let last: Int
  /// What is older than this was not read yet.
  private var position = UInt64.max
  private var found: [TrailSearch.Told] = []

  /// - Parameter last: how many decisions at most.
  package init(registrations: Set<UInt64>, last: Int) {
    walk = TrailWalk(.registrations(registrations))
    self.last = last
  }

  /// - Parameters:
  ///   - next: the position that what is not committed yet will have.
  ///   - entries: how many may be read; comes back as what is left. A chunk is read whole.
  /// - Returns: what was found, newest first, once the search is over.
  package mutating func advance(
    in trail: Trail, next: UInt64, entries: inout Int
  ) -> [TrailSearch.Told]? {
    while entries > 0 {
      guard found.count < last, let chunk = trail.chunk(before: position, next: next) else { return found }
      position = chunk.position
      entries -= chunk.count
      let room = last - found.count
      var fresh: [TrailSearch.Told] = []
      _ = walk.read(chunk) { told, _ in
        fresh.append(told)
        return fresh.count < room
      }
      found += fresh
    }
    return nil
  }
}
