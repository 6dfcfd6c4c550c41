/// Receipts that a device owes, in the order of its events, one under way at a time. Those of one epoch join, since a
/// receipt says "up to"; one never confirms events of another epoch (docs/devices.md, 4).
struct ReceiptQueue {
  private var waiting: [RefreshID] = []
  private var isSending = false

  mutating func add(_ id: RefreshID) {
    if let last = waiting.last, last.epoch == id.epoch {
      waiting[waiting.count - 1] = id
    } else {
      waiting.append(id)
    }
  }

  /// What to send now; call ``sent()`` when it has been answered.
  mutating func next() -> RefreshID? {
    guard !isSending, !waiting.isEmpty else { return nil }
    isSending = true
    return waiting.removeFirst()
  }

  mutating func sent() { isSending = false }

  /// The connection is gone; what has no answer comes again, and is confirmed then.
  mutating func reset() {
    waiting = []
    isSending = false
  }
}
