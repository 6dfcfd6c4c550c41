import TokenStore

/// Goes back through a trail, a chunk at a time, newest first.
struct TrailWalk: Sendable {
  private let wanted: TrailSearch.Wanted
  /// What registrations showed before the changes that were met.
  private var faces: [UInt64: FormerFace] = [:]

  init(_ wanted: TrailSearch.Wanted) { self.wanted = wanted }

  /// - Parameters:
  ///   - chunk: the next older one.
  ///   - body: gets a decision and the epoch that it was made in; false ends the walk.
  /// - Returns: false when `body` has ended it.
  mutating func read(_ chunk: TrailChunk, _ body: (TrailSearch.Told, UInt64) -> Bool) -> Bool {
    let (epoch, entries) = chunk.content
    for entry in entries.reversed() {
      switch entry {
      case .changed(let registration, let face, _): faces[registration] = face
      case .decision(let decision):
        let face = faces[decision.registration]
        guard matches(decision, face) else { continue }
        let told = TrailSearch.Told(
          decision: decision, face: face, superseder: Self.superseder(of: decision, in: entries))
        guard body(told, epoch) else { return false }
      }
    }
    return true
  }

  private func matches(_ decision: Decision, _ face: FormerFace?) -> Bool {
    switch wanted {
    case .push(let id): decision.push.id.uuid == id
    case .token(let token, let holders): face.map { $0.token == token } ?? holders.contains(decision.registration)
    case .registrations(let registrations): registrations.contains(decision.registration)
    case .everything: true
    }
  }

  /// A push marks in the same commit in which it takes another one's place.
  private static func superseder(of decision: Decision, in entries: [TrailEntry]) -> PushID? {
    guard case .superseded(let number) = decision.outcome else { return nil }
    for case .decision(let other) in entries
    where other.push.number == number && other.registration == decision.registration {
      return other.push.id
    }
    return nil
  }
}
