import TokenStore

/// 200 to `explain`: a device's own decisions, the newest first.
package struct ExplanationAnswer: Equatable, Sendable {
  package var decisions: [DeviceDecision]

  package init(decisions: [DeviceDecision]) { self.decisions = decisions }

  package var body: [UInt8] {
    var writer = JSONTextWriter()
    writer.beginObject()
    writer.key("decisions")
    writer.beginArray()
    for decision in decisions {
      writer.beginObject()
      writer.key("time")
      writer.time(decision.time)
      writer.key("app")
      writer.string(decision.app.description)
      writer.key("apns-id")
      writer.uuid(decision.push.uuid)
      writer.key("widgets")
      writer.beginArray()
      for widget in decision.widgets {
        writer.beginObject()
        writer.members(of: widget)
        writer.endObject()
      }
      writer.endArray()
      writer.key("outcome")
      writer.string(decision.outcome.rawValue)
      writer.key("event")
      if let event = decision.event { writer.string(event.description) } else { writer.null() }
      writer.key("waits-for")
      if let cause = decision.waits { writer.string("\(cause.word)") } else { writer.null() }
      writer.key("until")
      writer.time(decision.until?.roundedUpToSecond)
      writer.endObject()
    }
    writer.endArray()
    writer.endObject()
    return writer.bytes
  }
}
