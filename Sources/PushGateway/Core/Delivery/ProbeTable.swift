/// Open addressing over the objects themselves: eight bytes a slot, where a dictionary would hold each key once more.
/// Whoever uses it hashes with `Hasher`, which is keyed per process, so that nobody can choose keys that collide.
final class ProbeTable<Element: AnyObject> {
  /// Each holds its element as a strong reference does. Memory of its own and no array, which would have each look-up
  /// checked for overlaps with a change.
  private var slots = ProbeTable.empty(64)
  private(set) var count = 0

  deinit {
    for slot in slots { slot?.release() }
    slots.deallocate()
  }

  @inline(__always)
  func find(hash: Int, where isWanted: (Element) -> Bool) -> Element? {
    var place = hash & (slots.count - 1)
    while let candidate = slots[place] {
      if candidate._withUnsafeGuaranteedRef(isWanted) { return candidate.takeUnretainedValue() }
      place = (place + 1) & (slots.count - 1)
    }
    return nil
  }

  /// What the element is hashed by must not change while it is in here.
  func insert(_ element: Element, hash: (Element) -> Int) {
    if count * 4 >= slots.count * 3 { grow(hash) }
    place(Unmanaged.passRetained(element), hash(element))
    count += 1
  }

  func remove(_ element: Element, hash: (Element) -> Int) {
    let wanted = Unmanaged.passUnretained(element).toOpaque()
    var hole = hash(element) & (slots.count - 1)
    while let candidate = slots[hole], candidate.toOpaque() != wanted { hole = (hole + 1) & (slots.count - 1) }
    guard let found = slots[hole] else { return }
    slots[hole] = nil
    count -= 1
    // Closes the gap, so that no search stops short of what lies behind it.
    var next = (hole + 1) & (slots.count - 1)
    while let candidate = slots[next] {
      let wanted = candidate._withUnsafeGuaranteedRef(hash) & (slots.count - 1)
      if (next &- wanted) & (slots.count - 1) >= (next &- hole) & (slots.count - 1) {
        slots[hole] = candidate
        slots[next] = nil
        hole = next
      }
      next = (next + 1) & (slots.count - 1)
    }
    found.release()
  }

  /// In no order, as they are now.
  var elements: [Element] { slots.compactMap { $0?.takeUnretainedValue() } }

  private func place(_ element: Unmanaged<Element>, _ hash: Int) {
    var place = hash & (slots.count - 1)
    while slots[place] != nil { place = (place + 1) & (slots.count - 1) }
    slots[place] = element
  }

  private func grow(_ hash: (Element) -> Int) {
    let old = slots
    slots = Self.empty(old.count * 2)
    for case let element? in old { place(element, element._withUnsafeGuaranteedRef(hash)) }
    old.deallocate()
  }

  private static func empty(_ count: Int) -> UnsafeMutableBufferPointer<Unmanaged<Element>?> {
    let slots = UnsafeMutableBufferPointer<Unmanaged<Element>?>.allocate(capacity: count)
    slots.initialize(repeating: nil)
    return slots
  }
}
