/// Connections whose TLS handshake is under way, oldest first.
struct HandshakeQueue {
  private var waiting: [ConnectionID] = []
  private var first = 0
  /// How many have not ended.
  private(set) var count = 0

  mutating func begin(_ id: ConnectionID) {
    waiting.append(id)
    count += 1
  }

  /// Whichever it was.
  mutating func end() { count -= 1 }

  /// - Parameter isUnderWay: whether a connection that began one has not ended it yet.
  mutating func popOldest(where isUnderWay: (ConnectionID) -> Bool) -> ConnectionID? {
    defer { forgetEnded() }
    while first < waiting.count {
      let id = waiting[first]
      first += 1
      if isUnderWay(id) { return id }
    }
    return nil
  }

  /// Called now and then: what has ended stays in the list until somebody looks.
  mutating func tidy(where isUnderWay: (ConnectionID) -> Bool) {
    guard waiting.count - first > 2 * count + 64 else { return }
    waiting = waiting[first...].filter(isUnderWay)
    first = 0
  }

  private mutating func forgetEnded() {
    guard first > 1024, first > waiting.count / 2 else { return }
    waiting.removeFirst(first)
    first = 0
  }
}
