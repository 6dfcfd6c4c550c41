import BudgetThrottle

/// What a registration holds beside its widgets' accounts once there is something to hold: most of a million have had
/// no push, and lost no widget, since they came.
final class RegistrationMemory {
  private(set) var standing = StandingPushes()
  var recent = RecentPushes()
  /// When the flood limit's bucket would be empty again; microseconds of ledger time.
  var floodLevelAt: Int64 = .min
  var left: [LeftCell] = []

  /// As ``StandingPushes/forEachMark(_:)``, without a copy of them.
  @inline(__always)
  func forEachMark(_ body: (Mark, WidgetSet) -> Void) {
    for place in 0..<standing.count {
      if let (mark, widgets) = standing.mark(at: place) { body(mark, widgets) }
    }
  }

  @inline(__always)
  func content(of number: UInt64) -> PushContent? { standing.content(of: number) }

  func counts(among widgets: Int) -> WidgetCounts { WidgetCounts(widgets, standing) }

  func changeStanding(_ change: (inout StandingPushes) -> Void) {
    var pushes = StandingPushes()
    swap(&pushes, &standing)
    change(&pushes)
    swap(&pushes, &standing)
  }
}
