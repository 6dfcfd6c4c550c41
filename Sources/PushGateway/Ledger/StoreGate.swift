import Synchronization

/// What loops look at before they send the ledger work, when it has a thread of its own. The ledger looks again; this only
/// keeps what waits for it from growing without bound.
final class StoreGate: Sendable {
  /// Bytes of calls that may wait for the ledger.
  static let capacity = 16 << 20

  private let isTaking = Atomic(true)
  private let waiting = Atomic(0)

  /// Whether the store can keep accepted work.
  var isOpen: Bool { isTaking.load(ordering: .relaxed) && hasRoom }
  /// Whether more may wait, also such as changes nothing.
  var hasRoom: Bool { waiting.load(ordering: .relaxed) < Self.capacity }

  /// By the ledger, once a turn.
  func set(isTaking new: Bool) { isTaking.store(new, ordering: .relaxed) }

  func posted(_ bytes: Int) { waiting.wrappingAdd(bytes, ordering: .relaxed) }
  func taken(_ bytes: Int) { waiting.wrappingSubtract(bytes, ordering: .relaxed) }
}
