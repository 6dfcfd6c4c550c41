/// Open addressing over the objects themselves: eight bytes a slot, where a dictionary would hold each key once more.
/// Whoever uses it hashes with `Hasher`, which is keyed per process, so that nobody can choose keys that collide.
///
/// Among a million objects each one that is looked at in vain has to be fetched from memory first. So a slot holds four
/// bits of the hash where the address has none, and of those that are not wanted fifteen in sixteen are passed by.
final class ProbeTable<Element: AnyObject> {
  /// The address of an element, which is held as a strong reference does, and its mark in the bits below; 0 is empty.
  private struct Slot {
    static var markBits: UInt { 0xF }
    static var empty: Slot { Slot(bits: 0) }
    private(set) var bits: UInt

    private init(bits: UInt) { self.bits = bits }

    init(_ element: Unmanaged<Element>, mark: UInt) {
      bits = UInt(bitPattern: element.toOpaque())
      precondition(bits & Self.markBits == 0, "The runtime lays objects out on sixteen bytes.")
      bits |= mark
    }

    var mark: UInt { bits & Self.markBits }

    @inline(__always)
    var element: Unmanaged<Element>? {
      UnsafeRawPointer(bitPattern: bits & ~Self.markBits).map { Unmanaged.fromOpaque($0) }
    }

    /// The highest bits, since the lowest ones choose the slot.
    @inline(__always)
    static func mark(of hash: Int) -> UInt { UInt(bitPattern: hash) >> (UInt(UInt.bitWidth) - 4) }
  }

  /// Memory of its own and no array, which would have each look-up checked for overlaps with a change.
  private var slots = ProbeTable.empty(64)
  private(set) var count = 0

  deinit {
    for slot in slots { slot.element?.release() }
    slots.deallocate()
  }

  @inline(__always)
  func find(hash: Int, where isWanted: (Element) -> Bool) -> Element? {
    let mark = Slot.mark(of: hash)
    var place = hash & (slots.count - 1)
    while let candidate = slots[place].element {
      if slots[place].mark == mark, candidate._withUnsafeGuaranteedRef(isWanted) {
        return candidate.takeUnretainedValue()
      }
      place = (place + 1) & (slots.count - 1)
    }
    return nil
  }

  /// What the element is hashed by must not change while it is in here.
  func insert(_ element: Element, hash: (Element) -> Int) {
    makeRoom(for: 1, hash)
    place(Unmanaged.passRetained(element), hash(element))
    count += 1
  }

  /// As ``insert(_:hash:)``, unless one is there that is the same.
  /// - Returns: whether it is in here now.
  func insert(_ element: Element, hash: (Element) -> Int, unless isSame: (Element) -> Bool) -> Bool {
    makeRoom(for: 1, hash)
    let hashed = hash(element)
    guard find(hash: hashed, where: isSame) == nil else { return false }
    place(Unmanaged.passRetained(element), hashed)
    count += 1
    return true
  }

  /// Room for so many more, made at once and not by doubling time and again.
  func makeRoom(for more: Int, _ hash: (Element) -> Int) {
    var room = slots.count
    while (count + more) * 4 > room * 3 { room *= 2 }
    guard room > slots.count else { return }
    let old = slots
    slots = Self.empty(room)
    for slot in old {
      if let element = slot.element { place(element, element._withUnsafeGuaranteedRef(hash)) }
    }
    old.deallocate()
  }

  func remove(_ element: Element, hash: (Element) -> Int) {
    let wanted = Unmanaged.passUnretained(element).toOpaque()
    var hole = hash(element) & (slots.count - 1)
    while let candidate = slots[hole].element, candidate.toOpaque() != wanted { hole = (hole + 1) & (slots.count - 1) }
    guard let found = slots[hole].element else { return }
    slots[hole] = .empty
    count -= 1
    // Closes the gap, so that no search stops short of what lies behind it.
    var next = (hole + 1) & (slots.count - 1)
    while let candidate = slots[next].element {
      let wanted = candidate._withUnsafeGuaranteedRef(hash) & (slots.count - 1)
      if (next &- wanted) & (slots.count - 1) >= (next &- hole) & (slots.count - 1) {
        slots[hole] = slots[next]
        slots[next] = .empty
        hole = next
      }
      next = (next + 1) & (slots.count - 1)
    }
    found.release()
  }

  /// In no order, as they are now.
  var elements: [Element] { slots.compactMap { $0.element?.takeUnretainedValue() } }

  private func place(_ element: Unmanaged<Element>, _ hash: Int) {
    var place = hash & (slots.count - 1)
    while slots[place].element != nil { place = (place + 1) & (slots.count - 1) }
    slots[place] = Slot(element, mark: Slot.mark(of: hash))
  }

  private static func empty(_ count: Int) -> UnsafeMutableBufferPointer<Slot> {
    let slots = UnsafeMutableBufferPointer<Slot>.allocate(capacity: count)
    slots.initialize(repeating: .empty)
    return slots
  }
}
