package import BudgetThrottle
package import TokenStore

/// One request that marks every registration of an app, and how far it has come. Loop-bound, like its ledger.
package final class FanOut {
  package enum State: UInt8, Sendable {
    case running = 1
    /// Every registration was met; widgets may still be waiting.
    case done
    case cancelled

    package var word: StaticString {
      switch self {
      case .running: "running"
      case .done: "done"
      case .cancelled: "cancelled"
      }
    }
  }

  package let id: CanonicalUUID
  package let order: FanOutOrder
  /// Taken when it was accepted: a widget that has seen a newer push is skipped. Also its row in the store.
  package let number: UInt64
  /// Registrations from this id on came later and have nothing to hear of it.
  package let end: UInt64
  package let acceptedAt: LedgerTime
  package internal(set) var state = State.running
  package internal(set) var counts = FanOutCounts()
  var walk: RegistrationWalk
  /// The id of the registration that it has met last; 0 before the first.
  package var passed: UInt64 { walk.last }
  private(set) lazy var head = encodeHead()
  /// Its row is to be written with the next commit: then counts and marks are durable together, and neither is told
  /// twice after a crash.
  var isDirty = false

  /// How much of the registrations it has passed, 0 to 100.
  package var percent: Int {
    guard state != .done else { return 100 }
    return end > 1 ? Int(min(walk.last, end - 1) * 100 / (end - 1)) : 0
  }

  init(
    id: CanonicalUUID, order: FanOutOrder, number: UInt64, end: UInt64, acceptedAt: LedgerTime,
    walk: RegistrationWalk = RegistrationWalk()
  ) {
    self.id = id
    self.order = order
    self.number = number
    self.end = end
    self.acceptedAt = acceptedAt
    self.walk = walk
  }
}
