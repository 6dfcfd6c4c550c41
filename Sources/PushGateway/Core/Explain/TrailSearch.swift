package import TokenStore

/// Looks things up in a trail, newest first. It needs nothing of the ledger, so that whoever asks pays for the search.
package struct TrailSearch: Sendable {
  package enum Wanted: Sendable {
    case push(CanonicalUUID)
    /// Pushes to this token, also from the time before its registration got another one.
    /// - holders: the registrations that have it now.
    case token(DeviceToken, holders: Set<UInt64>)
    case registrations(Set<UInt64>)
    case everything
  }

  /// One decision, with what it takes to tell it.
  package struct Told: Sendable {
    package var decision: Decision
    /// What the registration showed then; nil while it shows the same today.
    package var face: FormerFace?
    /// The push that took its place, where one did.
    package var superseder: PushID?
  }

  /// One push at one registration.
  package struct Push: Sendable {
    package var id: PushID
    package var registration: UInt64
    /// Oldest first.
    package var told: [Told]
    /// Where it was accepted: its `apns-unique-id` of development. nil when that has been forgotten, or was never so.
    package var uniqueID: PushUniqueID?
  }

  private let chunks: [TrailChunk]

  package init(_ chunks: [TrailChunk]) { self.chunks = chunks }

  /// The push that was answered with this `apns-unique-id`.
  package func push(named wanted: PushUniqueID) -> PushID? {
    for chunk in chunks.reversed() {
      let (epoch, entries) = chunk.content
      guard PushUniqueID(epoch: epoch, number: wanted.number) == wanted else { continue }
      for case .decision(let decision) in entries where decision.push.number == wanted.number {
        if decision.outcome == .marked || decision.outcome == .duplicate { return decision.push.id }
      }
    }
    return nil
  }

  /// Pushes with all that was decided about them, newest first.
  /// - Parameter limit: pushes at most; the newest.
  package func pushes(_ wanted: Wanted, limit: Int) -> [Push] {
    struct Key: Hashable {
      var id: PushID
      var registration: UInt64
    }
    var places: [Key: Int] = [:]
    var found: [Push] = []
    walk(wanted) { told, epoch in
      let decision = told.decision
      let key = Key(id: decision.push.id, registration: decision.registration)
      if places[key] == nil {
        guard found.count < limit else { return true }
        places[key] = found.count
        found.append(Push(id: decision.push.id, registration: decision.registration, told: []))
      }
      guard let place = places[key] else { return true }
      found[place].told.append(told)
      if decision.outcome == .marked {
        found[place].id = decision.push.id
        found[place].uniqueID = PushUniqueID(epoch: epoch, number: decision.push.number)
      }
      return true
    }
    for place in found.indices { found[place].told.reverse() }
    return found
  }

  /// Decisions one by one, newest first.
  package func decisions(_ wanted: Wanted, last count: Int) -> [Told] {
    var found: [Told] = []
    guard count > 0 else { return found }
    walk(wanted) { told, _ in
      found.append(told)
      return found.count < count
    }
    return found
  }

  /// - Parameter body: gets a decision and the epoch that it was made in; false ends the walk.
  private func walk(_ wanted: Wanted, _ body: (Told, UInt64) -> Bool) {
    var walk = TrailWalk(wanted)
    for chunk in chunks.reversed() {
      guard walk.read(chunk, body) else { return }
    }
  }
}
