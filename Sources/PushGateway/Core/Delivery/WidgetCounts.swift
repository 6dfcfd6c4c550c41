import BudgetThrottle

/// Widgets by what they wait for. The ledger counts along with what happens: a walk over a million registrations, for
/// whoever asks how many there are, would cost as much as a hundred thousand pushes.
package struct WidgetCounts: Equatable, Sendable {
  package private(set) var widgets = 0
  /// Those that are marked.
  package private(set) var waiting = 0
  /// Those whose hand-over has no receipt.
  package private(set) var inFlight = 0

  package init() {}

  init(_ accounts: Int, _ standing: borrowing StandingPushes) {
    widgets = accounts
    waiting = standing.marked.count
    inFlight = standing.inFlight.count
  }

  package mutating func add(_ more: WidgetCounts) {
    widgets += more.widgets
    waiting += more.waiting
    inFlight += more.inFlight
  }

  mutating func subtract(_ fewer: WidgetCounts) {
    widgets -= fewer.widgets
    waiting -= fewer.waiting
    inFlight -= fewer.inFlight
  }
}
