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

  init(_ worker: LedgerWorker) { way = .direct(worker) }

  init(_ mailbox: Mailbox<LedgerMessage>, gate: StoreGate) { way = .posted(mailbox, gate) }

  /// Whether accepted work can be kept. Asked at the door; the ledger, which may know better by then, asks again.
  var isOpen: Bool {
    switch way {
    case .direct, .cut: true
    case .posted(_, let gate): gate.isOpen
    }
  }

  /// The answer comes from the ledger, at once or later.
  func accept(_ push: PushCall) {
    switch way {
    case .direct(let worker): worker.accept(push)
    case .posted: calls.append(.push(push))
    case .cut: break
    }
  }

  func tell(_ call: LedgerCall) {
    switch way {
    case .direct(let worker): worker.take(call)
    case .posted: calls.append(call)
    case .cut: break
    }
  }

  /// Sends what a turn has brought.
  func flush() {
    guard case .posted(let mailbox, let gate) = way, !calls.isEmpty else { return }
    gate.posted(calls.count)
    mailbox.postAlways(.calls(calls))
    calls.removeAll(keepingCapacity: false)
    calls.reserveCapacity(64)
  }

  /// The loop's last word. Nothing is told behind it.
  func end() {
    switch way {
    case .direct(let worker): worker.loopEnded()
    case .posted(let mailbox, _):
      flush()
      mailbox.postAlways(.loopEnded)
    case .cut: break
    }
    way = .cut
  }
}
