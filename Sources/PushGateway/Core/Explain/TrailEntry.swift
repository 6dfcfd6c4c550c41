package import BudgetThrottle

/// One thing that the trail tells.
package enum TrailEntry: Hashable, Sendable {
  case decision(Decision)
  /// The registration changed, and showed this until then.
  case changed(registration: UInt64, from: FormerFace, at: LedgerTime)

  package var at: LedgerTime {
    switch self {
    case .decision(let decision): decision.at
    case .changed(_, _, let at): at
    }
  }

  package var registration: UInt64 {
    switch self {
    case .decision(let decision): decision.registration
    case .changed(let registration, _, _): registration
    }
  }
}
