import TokenStore

/// What was seen of each kind of widget: how many there were, how often they were refreshed, and what lay between.
struct WidgetRows {
  struct Row {
    var widgets = 0
    var refreshes = 0
    var neverRefreshed = 0
    var gaps = Distribution()
  }

  /// Kinds come from the simulator itself, so there are few.
  private(set) var rows: [CrowdPushes.WidgetClass: Row] = [:]

  mutating func add(_ widget: SimulatedWidget, platform: Platform) {
    let own = CrowdPushes.WidgetClass(platform: platform, kind: widget.kind, family: widget.family)
    var row = rows[own, default: Row()]
    row.widgets += 1
    row.refreshes += widget.refreshes
    if widget.refreshes == 0 { row.neverRefreshed += 1 }
    row.gaps.add(widget.gaps)
    rows[own] = row
  }
}
