import BudgetThrottle
package import TokenStore

/// Which widgets of an app a fan-out is for. A part that is nil asks for nothing.
package struct FanOutFilter: Hashable, Sendable {
  package var kinds: [String]?
  package var families: [WidgetFamily]?
  package var platforms: [Platform]?

  package init(kinds: [String]? = nil, families: [WidgetFamily]? = nil, platforms: [Platform]? = nil) {
    self.kinds = kinds
    self.families = families
    self.platforms = platforms
  }

  /// The registration's widgets that it is for.
  func matching(_ registration: RegistrationState) -> WidgetSet {
    if let platforms, !platforms.contains(registration.device.platform) { return WidgetSet() }
    guard kinds != nil || families != nil else { return WidgetSet(first: registration.widgets.count) }
    var found = WidgetSet()
    for (position, widget) in registration.widgets.enumerated() where matches(widget) { found.insert(position) }
    return found
  }

  /// What it costs to ask it of a registration, in comparisons.
  func cost(of registration: RegistrationState) -> Int { registration.widgets.count * max(1, kinds?.count ?? 1) }

  private func matches(_ widget: Widget) -> Bool {
    if let kinds, !kinds.contains(widget.kind) { return false }
    if let families, !families.contains(widget.family) { return false }
    return true
  }
}
