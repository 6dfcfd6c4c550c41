/// Open addressing over the objects themselves: eight bytes a slot, where a dictionary would hold each key once more.
/// Whoever uses it hashes with `Hasher`, which is keyed per process, so that nobody can choose keys that collide.
struct ProbeTable<Element: AnyObject> {
  private var slots: [Element?] = Array(repeating: nil, count: 64)
  private(set) var count = 0

  func find(hash: Int, where isWanted: (Element) -> Bool) -> Element? {
    var place = hash & (slots.count - 1)
    while let candidate = slots[place] {
      if isWanted(candidate) { return candidate }
      place = (place + 1) & (slots.count - 1)
    }
    return nil
  }

  /// What the element is hashed by must not change while it is in here.
  mutating func insert(_ element: Element, hash: (Element) -> Int) {
    if count * 4 >= slots.count * 3 { grow(hash) }
    place(element, hash(element))
    count += 1
  }

  mutating func remove(_ element: Element, hash: (Element) -> Int) {
    var hole = hash(element) & (slots.count - 1)
    while let candidate = slots[hole], candidate !== element { hole = (hole + 1) & (slots.count - 1) }
    guard slots[hole] != nil else { return }
    slots[hole] = nil
    count -= 1
    // Closes the gap, so that no search stops short of what lies behind it.
    var next = (hole + 1) & (slots.count - 1)
    while let candidate = slots[next] {
      let wanted = hash(candidate) & (slots.count - 1)
      if (next &- wanted) & (slots.count - 1) >= (next &- hole) & (slots.count - 1) {
        slots[hole] = candidate
        slots[next] = nil
        hole = next
      }
      next = (next + 1) & (slots.count - 1)
    }
  }

  private mutating func place(_ element: Element, _ hash: Int) {
    var place = hash & (slots.count - 1)
    while slots[place] != nil { place = (place + 1) & (slots.count - 1) }
    slots[place] = element
  }

  private mutating func grow(_ hash: (Element) -> Int) {
    let old = slots
    slots = Array(repeating: nil, count: old.count * 2)
    for case let element? in old { place(element, hash(element)) }
  }
}

extension ProbeTable: Sequence {
  /// In no order.
  struct Iterator: IteratorProtocol {
    fileprivate var slots: IndexingIterator<[Element?]>

    mutating func next() -> Element? {
      while let slot = slots.next() { if let slot { return slot } }
      return nil
    }
  }

  func makeIterator() -> Iterator { Iterator(slots: slots.makeIterator()) }
}
