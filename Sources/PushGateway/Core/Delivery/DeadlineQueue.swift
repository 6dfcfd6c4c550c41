package import BudgetThrottle

/// When which waiting registration wants to be looked at again: a binary heap with at most one entry a registration,
/// whatever the rate of pushes. A registration knows its place in it, so that an earlier time moves its entry and one
/// that is gone for good takes it away.
package struct DeadlineQueue {
  private struct Entry {
    var at: LedgerTime
    var registration: RegistrationState
  }

  /// Of a registration that has no entry.
  static let noSlot = UInt32.max

  private var heap: [Entry] = []

  package init() {}

  package var count: Int { heap.count }
  package var next: LedgerTime? { heap.first?.at }

  /// Looks at the registration at `time`, or earlier if that was asked for before. `.distantFuture` is never.
  mutating func schedule(_ registration: RegistrationState, at time: LedgerTime) {
    guard time < .distantFuture else { return }
    let entry = Entry(at: time, registration: registration)
    let slot = registration.wakeSlot
    if slot == Self.noSlot {
      heap.append(entry)
      rise(entry, from: heap.count - 1)
    } else if time < heap[Int(slot)].at {
      rise(entry, from: Int(slot))
    }
  }

  /// The earliest registration that is due, or nil.
  mutating func popDue(at now: LedgerTime) -> RegistrationState? {
    guard let first = heap.first, first.at <= now else { return nil }
    remove(first.registration)
    return first.registration
  }

  mutating func remove(_ registration: RegistrationState) {
    guard registration.wakeSlot != Self.noSlot else { return }
    let slot = Int(registration.wakeSlot)
    registration.wakeSlot = Self.noSlot
    let last = heap.removeLast()
    guard last.registration !== registration else { return }
    if slot > 0, last.at < heap[(slot - 1) / 2].at { rise(last, from: slot) } else { sink(last, from: slot) }
  }

  private mutating func put(_ entry: Entry, at slot: Int) {
    heap[slot] = entry
    entry.registration.wakeSlot = UInt32(slot)
  }

  private mutating func rise(_ entry: Entry, from start: Int) {
    var slot = start
    while slot > 0 {
      let parent = (slot - 1) / 2
      guard entry.at < heap[parent].at else { break }
      put(heap[parent], at: slot)
      slot = parent
    }
    put(entry, at: slot)
  }

  private mutating func sink(_ entry: Entry, from start: Int) {
    var slot = start
    while 2 * slot + 1 < heap.count {
      var child = 2 * slot + 1
      if child + 1 < heap.count, heap[child + 1].at < heap[child].at { child += 1 }
      guard heap[child].at < entry.at else { break }
      put(heap[child], at: slot)
      slot = child
    }
    put(entry, at: slot)
  }
}
