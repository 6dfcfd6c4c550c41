package import TokenStore

/// 200 to a registration: the token that providers push to, and how each widget's budget stands.
package struct RegistrationAnswer: Sendable {
  package struct Entry: Equatable, Sendable {
    package var widget: Widget
    package var budget: Budget?

    /// - Parameter budget: nil where budgets are off.
    package init(widget: Widget, budget: Budget?) {
      self.widget = widget
      self.budget = budget
    }
  }

  package struct Budget: Equatable, Sendable {
    /// Refreshes a day.
    package var limit: Int
    /// Whole tokens there are now.
    package var remaining: Int
    /// When there is one token more; nil while there are as many as there can be.
    package var next: UnixTime?

    package init(limit: Int, remaining: Int, next: UnixTime?) {
      self.limit = limit
      self.remaining = remaining
      self.next = next
    }
  }

  package var token: DeviceToken
  package var topic: String
  /// In the request's order.
  package var widgets: [Entry]

  package init(token: DeviceToken, topic: String, widgets: [Entry]) {
    self.token = token
    self.topic = topic
    self.widgets = widgets
  }

  /// `next` is rounded up to a whole second, since many readers of RFC 3339 dates know no fractions and a device that
  /// waits for it must not come early.
  package var body: [UInt8] {
    var writer = JSONTextWriter()
    writer.beginObject()
    writer.key("token")
    writer.string(token.description)
    writer.key("topic")
    writer.string(topic)
    writer.key("widgets")
    writer.beginArray()
    for entry in widgets {
      writer.beginObject()
      writer.members(of: entry.widget)
      writer.key("limit")
      if let budget = entry.budget { writer.integer(budget.limit) } else { writer.null() }
      writer.key("remaining")
      if let budget = entry.budget { writer.integer(budget.remaining) } else { writer.null() }
      writer.key("next")
      writer.time(entry.budget?.next?.roundedUpToSecond)
      writer.endObject()
    }
    writer.endArray()
    writer.endObject()
    return writer.bytes
  }
}
