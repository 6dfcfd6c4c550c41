/// A list of plain values in memory of its own, for what every request appends to and takes from again.
///
/// An `Array` shares its memory between copies: each change asks whether there is another, and one that grows may let go
/// of objects, which no compiler can look into. So a class that holds an array has each access to it checked for overlaps
/// at run time. This one holds no objects, and is held in a `let`: there is nothing to check.
final class PlainList<Element: BitwiseCopyable> {
  private var memory: UnsafeMutablePointer<Element>
  private var capacity = 16
  private var used = 0

  init() { memory = .allocate(capacity: 16) }

  deinit { memory.deallocate() }

  var count: Int { used }

  subscript(place: Int) -> Element {
    get {
      precondition(place >= 0 && place < used, "A place outside a list.")
      return memory[place]
    }
    set {
      precondition(place >= 0 && place < used, "A place outside a list.")
      memory[place] = newValue
    }
  }

  func append(_ element: Element) {
    if used == capacity { grow() }
    (memory + used).initialize(to: element)
    used += 1
  }

  func popLast() -> Element? {
    guard used > 0 else { return nil }
    used -= 1
    return memory[used]
  }

  /// Keeps its room.
  func removeAll() { used = 0 }

  /// Valid until the list is changed.
  var elements: UnsafeBufferPointer<Element> { UnsafeBufferPointer(start: memory, count: used) }

  private func grow() {
    capacity *= 2
    let larger = UnsafeMutablePointer<Element>.allocate(capacity: capacity)
    larger.initialize(from: memory, count: used)
    memory.deallocate()
    memory = larger
  }
}
