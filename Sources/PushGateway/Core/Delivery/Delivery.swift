package import BudgetThrottle
package import TokenStore

/// What the ledger wants done on a device's stream, once the batch that holds its cause is durable.
package enum Delivery: Sendable {
  case refresh(Refresh)
  /// Another stream of the same device took its place, or the device left.
  case endStream(SessionID)

  /// One event: all widgets of one app that are due together.
  package struct Refresh: Sendable {
    package var session: SessionID
    package var id: EventID
    package var push: PushContent
    package var app: App
    /// The registration's list, and which of it the event names.
    package var widgets: [Widget]
    package var included: WidgetSet

    package init(
      session: SessionID, id: EventID, push: PushContent, app: App, widgets: [Widget], included: WidgetSet
    ) {
      self.session = session
      self.id = id
      self.push = push
      self.app = app
      self.widgets = widgets
      self.included = included
    }

    package var refreshed: [Widget] { included.compactMap { $0 < widgets.count ? widgets[$0] : nil } }
  }
}
