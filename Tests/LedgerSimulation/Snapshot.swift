import BudgetThrottle
import GatewayCore
import TokenStore

/// A ledger before a step, as far as the step's check looks back.
struct Snapshot {
  struct Registration {
    var widgets: [Widget]
    var states: [WidgetState]
    var left: [LeftCell]
  }

  var nextSequence: UInt64
  var handOvers: [UInt64]
  var auditCount: Int
  var registrations: [UInt64: Registration] = [:]

  init(_ ledger: Ledger) {
    nextSequence = ledger.nextSequence
    handOvers = Self.handOvers(of: ledger)
    auditCount = ledger.audit.count
    for registration in ledger.registrations {
      registrations[registration.id] = Registration(
        widgets: registration.widgets, states: registration.states, left: registration.left)
    }
  }

  static func handOvers(of ledger: Ledger) -> [UInt64] {
    RefreshDecision.Toll.allCases.map { ledger.counters.handOvers[Int($0.rawValue)] }
  }
}
