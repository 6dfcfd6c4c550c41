import GatewayIO

/// A loop's way to the ledger: plain calls where both share the only loop, and else all calls of a turn as one message.
final class LedgerPort {
  private enum Way {
    case direct(LedgerWorker)
    case posted(Mailbox<LedgerMessage>, StoreGate)
    case cut
  }

  private var way: Way
  private var calls: [LedgerCall] = []
  /// Pushes that were found right and are decided together; see ``decide()``.
  private var pushes: [PushCall] = []

  init(_ worker: LedgerWorker) { way = .direct(worker) }

  init(_ mailbox: Mailbox<LedgerMessage>, gate: StoreGate) { way = .posted(mailbox, gate) }

  /// Whether accepted work can be kept. Asked at the door; the ledger, which may know better by then, asks again.
  var isOpen: Bool {
    switch way {
    case .direct, .cut: true
    case .posted(_, let gate): gate.isOpen
    }
  }

  /// Whether the ledger's mailbox has room, for requests that may only look.
  var hasRoom: Bool {
    switch way {
    case .direct, .cut: true
    case .posted(_, let gate): gate.hasRoom
    }
  }

  /// The answer comes from the ledger, at once or later.
  func accept(_ push: consuming PushCall) {
    switch way {
    case .direct: pushes.append(push)
    case .posted(_, let gate): add(.push(push), gate)
    case .cut: break
    }
  }

  /// Decides, where both share a loop, about all pushes that one reading of a connection has brought. They are judged
  /// first, all of them: the code that judges a push and the code that decides about it each fit into the processor's
  /// nearest cache, and both together do not.
  func decide() {
    guard !pushes.isEmpty, case .direct(let worker) = way else { return }
    var taken: [PushCall] = []
    swap(&taken, &pushes)
    worker.accept(taken)
    // The room is used again. Nothing was judged meanwhile; if it had been, it would not be lost.
    taken.removeAll(keepingCapacity: true)
    taken.append(contentsOf: pushes)
    swap(&taken, &pushes)
  }

  func tell(_ call: LedgerCall) {
    switch way {
    case .direct(let worker):
      decide()
      worker.take(call)
    case .posted(_, let gate): add(call, gate)
    case .cut: break
    }
  }

  private func add(_ call: LedgerCall, _ gate: StoreGate) {
    gate.posted(call.byteCount)
    calls.append(call)
  }

  /// Sends what a turn has brought.
  func flush() {
    guard case .posted(let mailbox, _) = way, !calls.isEmpty else { return }
    mailbox.postAlways(.calls(calls))
    calls.removeAll(keepingCapacity: false)
    calls.reserveCapacity(64)
  }

  /// The loop's last word. Nothing is told behind it.
  func end() {
    switch way {
    case .direct(let worker):
      decide()
      worker.loopEnded()
    case .posted(let mailbox, _):
      flush()
      mailbox.postAlways(.loopEnded)
    case .cut: break
    }
    way = .cut
  }
}
