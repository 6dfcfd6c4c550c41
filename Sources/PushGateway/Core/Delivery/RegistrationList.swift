/// All registrations in the order of their ids, which is the order in which they came.
///
/// Whatever walks over very many of them does so in slices, with other work between; see ``RegistrationWalk``. What
/// leaves makes a gap, and gaps are closed when they are more than half.
package struct RegistrationList {
  fileprivate var slots: [RegistrationState?] = []
  /// Changes when gaps were closed: places that a walk had noted mean nothing any more.
  fileprivate var layout: UInt32 = 0
  package private(set) var count = 0

  package var first: RegistrationState? {
    var walk = RegistrationWalk()
    return walk.next(in: self)
  }

  /// - Returns: nil when it has left, or never was.
  package func find(_ id: UInt64) -> RegistrationState? {
    guard id > 0 else { return nil }
    var walk = RegistrationWalk(after: id - 1)
    guard let found = walk.next(in: self), found.id == id else { return nil }
    return found
  }

  /// Room for so many more.
  mutating func makeRoom(for more: Int) { slots.reserveCapacity(slots.count + more) }

  /// Those whose ids lie about it, itself included: at most `count`, a power of two. Neighbours of one another have the
  /// same neighbours.
  func forEachNeighbour(of registration: RegistrationState, among count: Int, _ body: (RegistrationState) -> Void) {
    let first = Int(registration.place) & ~(count - 1)
    for neighbour in slots.dropFirst(first).prefix(count) {
      if let neighbour { body(neighbour) }
    }
  }

  mutating func append(_ registration: RegistrationState) {
    registration.place = UInt32(slots.count)
    slots.append(registration)
    count += 1
  }

  mutating func remove(_ registration: RegistrationState) {
    slots[Int(registration.place)] = nil
    count -= 1
    if slots.count > 64, count < slots.count / 2 { closeGaps() }
  }

  private mutating func closeGaps() {
    slots.removeAll { $0 == nil }
    for (place, registration) in slots.enumerated() { registration?.place = UInt32(place) }
    layout += 1
  }

  fileprivate func place(after id: UInt64) -> Int {
    var range = 0..<slots.count
    while !range.isEmpty {
      let middle = range.lowerBound + range.count / 2
      // A gap has no id; the next one behind it speaks for it.
      var place = middle
      while place < range.upperBound, slots[place] == nil { place += 1 }
      if place < range.upperBound, let found = slots[place], found.id <= id {
        range = place + 1..<range.upperBound
      } else {
        range = range.lowerBound..<middle
      }
    }
    return range.lowerBound
  }
}

extension RegistrationList: Sequence {
  package struct Iterator: IteratorProtocol {
    fileprivate let list: RegistrationList
    fileprivate var walk = RegistrationWalk()

    package mutating func next() -> RegistrationState? { walk.next(in: list) }
  }

  package func makeIterator() -> Iterator { Iterator(list: self) }
}

/// Where a walk over all registrations stands. The list may change between two steps: who comes meanwhile is met at the
/// end, who leaves is not met, and nobody is met twice.
package struct RegistrationWalk {
  /// The id that was met last; the walk can be taken up again from here, after a restart too.
  package private(set) var last: UInt64
  private var place = 0
  private var layout: UInt32?

  /// - Parameter id: begin behind this one; 0 is before all.
  package init(after id: UInt64 = 0) { last = id }

  package mutating func next(in list: RegistrationList) -> RegistrationState? {
    if layout != list.layout {
      place = list.place(after: last)
      layout = list.layout
    }
    while place < list.slots.count {
      defer { place += 1 }
      guard let registration = list.slots[place] else { continue }
      last = registration.id
      return registration
    }
    return nil
  }
}
