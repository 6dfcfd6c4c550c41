import TokenStore

/// The newest decisions, in a ring of fixed size: what memory it takes does not depend on the rate of pushes.
package struct DecisionLog: Sendable {
  private var ring: [Decision] = []
  private var next = 0
  package let capacity: Int

  /// - Parameter capacity: decisions kept; 0 keeps none.
  package init(capacity: Int) { self.capacity = capacity }

  package mutating func record(_ decision: Decision) {
    guard capacity > 0 else { return }
    guard ring.count == capacity else { return ring.append(decision) }
    ring[next] = decision
    next = next + 1 == capacity ? 0 : next + 1
  }

  /// Oldest first.
  package func decisions(where isWanted: (Decision) -> Bool) -> [Decision] {
    (ring[next...] + ring[..<next]).filter(isWanted)
  }
}
