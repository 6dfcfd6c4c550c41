package import BudgetThrottle
package import TokenStore

/// A push whose request was found right, on its way to one registration.
package struct IncomingPush: Hashable, Sendable {
  package enum Storage: Hashable, Sendable {
    /// `apns-expiration: 0`: one try now.
    case once
    /// Until this instant, and not longer than the retention.
    case until(LedgerTime)
  }

  package var id: PushID
  /// nil for the usual payload.
  package var payload: [UInt8]?
  package var storage: Storage
  package var priority: RefreshPriority

  package init(
    id: PushID, payload: [UInt8]? = nil, storage: Storage, priority: RefreshPriority = .immediate
  ) {
    self.id = id
    self.payload = payload
    self.storage = storage
    self.priority = priority
  }
}
