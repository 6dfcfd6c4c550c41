import BudgetThrottle

/// Joins neighbours about which the same was decided, so that one push makes one entry where its widgets agree.
struct DecisionRun {
  private var widgets = WidgetSet()
  private var outcome: Decision.Outcome?

  /// - Returns: the run that this widget ended, if it did not fit.
  mutating func add(_ position: Int, _ new: Decision.Outcome) -> (outcome: Decision.Outcome, widgets: WidgetSet)? {
    if outcome == new {
      widgets.insert(position)
      return nil
    }
    let ended = end()
    outcome = new
    widgets.insert(position)
    return ended
  }

  mutating func end() -> (outcome: Decision.Outcome, widgets: WidgetSet)? {
    defer {
      outcome = nil
      widgets = WidgetSet()
    }
    return outcome.map { ($0, widgets) }
  }
}
