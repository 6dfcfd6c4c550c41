/// Deadlines in the order in which they come: a binary heap whose entries can be taken out by name.
///
/// Pure: the time is an argument. Equal deadlines fire in the order of scheduling. Scheduling, cancelling and firing
/// cost O(log n) and, once the arrays have grown, no allocation.
package struct TimerQueue<Payload> {
  private struct Entry {
    var deadline: Int64
    var order: UInt64
    var slot: UInt32

    func isBefore(_ other: Entry) -> Bool {
      deadline != other.deadline ? deadline < other.deadline : order < other.order
    }
  }

  private struct Slot {
    var serial: UInt32 = 0
    /// Where the heap has this timer; meaningless while `payload` is nil.
    var position = 0
    var payload: Payload?
  }

  private var heap: [Entry] = []
  private var slots: [Slot] = []
  private var freeSlots: [UInt32] = []
  /// Every timer gets the next number; see ``popExpired(now:before:)``.
  package private(set) var nextOrder: UInt64 = 0

  package init() {}

  package var count: Int { heap.count }
  package var isEmpty: Bool { heap.isEmpty }

  /// The earliest deadline, nil when nothing is scheduled.
  package var nextDeadline: Int64? { heap.first?.deadline }

  package mutating func schedule(_ payload: Payload, at deadline: Int64) -> TimerID {
    let slot: UInt32
    if let free = freeSlots.popLast() {
      slot = free
    } else {
      slot = UInt32(slots.count)
      slots.append(Slot())
    }
    slots[Int(slot)].payload = payload
    heap.append(Entry(deadline: deadline, order: nextOrder, slot: slot))
    nextOrder += 1
    siftUp(from: heap.count - 1)
    return TimerID(slot: slot, serial: slots[Int(slot)].serial)
  }

  /// Takes a timer out. False when it has fired or was cancelled before.
  @discardableResult
  package mutating func cancel(_ id: TimerID) -> Bool {
    guard Int(id.slot) < slots.count, slots[Int(id.slot)].serial == id.serial, slots[Int(id.slot)].payload != nil
    else { return false }
    removeEntry(at: slots[Int(id.slot)].position)
    release(id.slot)
    return true
  }

  /// Takes the earliest timer out if its deadline has come.
  ///
  /// `order` ends a round: a timer scheduled during the round (its number is not below `order`) waits for the next one,
  /// so a handler that asks to be called at once cannot keep the round going for ever.
  package mutating func popExpired(now: Int64, before order: UInt64 = .max) -> Payload? {
    guard let first = heap.first, first.deadline <= now, first.order < order else { return nil }
    removeEntry(at: 0)
    return release(first.slot)
  }

  @discardableResult
  private mutating func release(_ slot: UInt32) -> Payload? {
    let payload = slots[Int(slot)].payload.take()
    slots[Int(slot)].serial &+= 1
    freeSlots.append(slot)
    return payload
  }

  private mutating func removeEntry(at position: Int) {
    let last = heap.removeLast()
    guard position < heap.count else { return }
    place(last, at: position)
    siftDown(from: position)
    siftUp(from: position)
  }

  private mutating func siftUp(from start: Int) {
    let entry = heap[start]
    var position = start
    while position > 0 {
      let parent = (position - 1) / 2
      guard entry.isBefore(heap[parent]) else { break }
      place(heap[parent], at: position)
      position = parent
    }
    place(entry, at: position)
  }

  private mutating func siftDown(from start: Int) {
    let entry = heap[start]
    var position = start
    while true {
      var child = 2 * position + 1
      guard child < heap.count else { break }
      if child + 1 < heap.count, heap[child + 1].isBefore(heap[child]) { child += 1 }
      guard heap[child].isBefore(entry) else { break }
      place(heap[child], at: position)
      position = child
    }
    place(entry, at: position)
  }

  private mutating func place(_ entry: Entry, at position: Int) {
    heap[position] = entry
    slots[Int(entry.slot)].position = position
  }
}
