package import BudgetThrottle

/// When which waiting registration wants to be looked at again: a binary heap. An entry is never moved or removed; one
/// that is no longer the registration's own (`wakeAt` differs) is dropped when it comes up.
package struct DeadlineQueue {
  private struct Entry {
    var at: LedgerTime
    var registration: RegistrationState
  }

  private var heap: [Entry] = []

  package init() {}

  package var count: Int { heap.count }
  package var next: LedgerTime? { heap.first?.at }

  mutating func insert(_ registration: RegistrationState, at time: LedgerTime) {
    heap.append(Entry(at: time, registration: registration))
    var child = heap.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard heap[child].at < heap[parent].at else { break }
      heap.swapAt(child, parent)
      child = parent
    }
  }

  /// The earliest registration that is due, or nil. Entries that were overtaken are dropped on the way.
  mutating func popDue(at now: LedgerTime) -> RegistrationState? {
    while let first = heap.first, first.at <= now {
      removeFirst()
      if first.registration.wakeAt == first.at {
        first.registration.wakeAt = .distantFuture
        return first.registration
      }
    }
    return nil
  }

  private mutating func removeFirst() {
    let last = heap.removeLast()
    guard !heap.isEmpty else { return }
    heap[0] = last
    var parent = 0
    while true {
      var least = parent
      for child in 2 * parent + 1...2 * parent + 2 where child < heap.count && heap[child].at < heap[least].at {
        least = child
      }
      guard least != parent else { return }
      heap.swapAt(parent, least)
      parent = least
    }
  }
}
