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

  /// Whether the ledger's mailbox has room, for requests that may only look.
  var hasRoom: Bool {
    switch way {
    case .direct, .cut: true
    case .posted(_, let gate): gate.hasRoom
    }
  }

  /// The answer comes from the ledger, at once or later.
  func accept(_ push: PushCall) {
    switch way {
    case .direct(let worker): worker.accept(push)
    case .posted(_, let gate): add(.push(push), gate)
    case .cut: break
    }
  }

  func tell(_ call: LedgerCall) {
    switch way {
    case .direct(let worker): worker.take(call)
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
    case .direct(let worker): worker.loopEnded()
    case .posted(let mailbox, _):
      flush()
      mailbox.postAlways(.loopEnded)
    case .cut: break
    }
    way = .cut
  }
}
