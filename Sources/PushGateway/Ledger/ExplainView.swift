import GatewayCore
import TokenStore

/// What the ledger gives to an admin thread that is to explain something, so that the search costs its own nothing.
struct ExplainView: Sendable {
  /// Pushes that one explanation tells of at most.
  static let limit = 200

  var chunks: [TrailChunk]
  /// The registrations that have the token in question now.
  var holders: Set<UInt64> = []
  /// Newest first.
  var refused: [RefusedPush]
  var strange: [RefusedPush]

  /// What was found: pushes that reached a registration, and such that were refused before.
  struct Findings: Sendable {
    var pushes: [TrailSearch.Push]
    var refused: [RefusedPush]
    var strange: [RefusedPush] = []

    var isEmpty: Bool { pushes.isEmpty && refused.isEmpty && strange.isEmpty }
  }

  func findings(about question: ExplainQuestion) -> Findings {
    let search = TrailSearch(chunks)
    // What only lacked budget is told by the trail, widget by widget.
    var findings = Findings(pushes: [], refused: (refused + strange).filter { $0.check != nil })
    switch question {
    case .token(let token):
      findings.pushes = search.pushes(.token(token, holders: holders), limit: Self.limit)
    case .uuid(let uuid):
      findings.pushes = search.pushes(.push(uuid), limit: Self.limit)
      if findings.isEmpty, let unique = PushUniqueID(uuid), let id = search.push(named: unique) {
        findings.pushes = search.pushes(.push(id.uuid), limit: Self.limit)
      }
    }
    return findings
  }

  /// - Parameter count: of each kind at most.
  func newest(_ count: Int, refusedOnly: Bool) -> Findings {
    var findings = Findings(pushes: [], refused: refused, strange: strange)
    if !refusedOnly {
      findings.pushes = TrailSearch(chunks).pushes(.everything, limit: count)
      findings.refused.removeAll { $0.check == nil }
      findings.strange = []
    }
    return findings
  }
}
