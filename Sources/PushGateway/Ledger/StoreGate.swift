import Synchronization

/// What loops look at before they send the ledger a push, when it has a thread of its own. The ledger looks again; this
/// only keeps what waits for it from growing without bound.
final class StoreGate: Sendable {
  /// Calls that may wait for the ledger.
  static let capacity = 1 << 16

  private let isTaking = Atomic(true)
  private let waiting = Atomic(0)

  var isOpen: Bool {
    isTaking.load(ordering: .relaxed) && waiting.load(ordering: .relaxed) < Self.capacity
  }

  /// By the ledger, once a turn.
  func set(isTaking new: Bool) { isTaking.store(new, ordering: .relaxed) }

  func posted(_ count: Int) { waiting.wrappingAdd(count, ordering: .relaxed) }
  func taken(_ count: Int) { waiting.wrappingSubtract(count, ordering: .relaxed) }
}
