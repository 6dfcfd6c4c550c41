import BudgetThrottle
import TokenStore

/// Writes what a device's update stream carries (WHATWG HTML, "Server-sent events"): refreshes, and comment lines that
/// show that the stream lives.
package enum EventStreamFrame {
  /// A comment line and the end of an (empty) event, which every reader ignores.
  package static let heartbeat: [UInt8] = Array(": heartbeat\n\n".utf8)

  /// Appends one refresh event. There is one for each hand-over, so it is bytes from end to end.
  ///
  /// The payload was found to be JSON; its line breaks become spaces, since a line break ends `data`.
  package static func append(_ refresh: Delivery.Refresh, to buffer: inout [UInt8]) {
    var writer = JSONTextWriter()
    swap(&writer.bytes, &buffer)
    defer { swap(&writer.bytes, &buffer) }
    writer.raw("id: ")
    refresh.id.write(to: &writer)
    writer.raw("\nevent: refresh\ndata: ")
    writer.beginObject()
    writer.key("apns-id")
    writer.uuid(refresh.push.id.uuid)
    writer.key("app")
    writer.string(refresh.app.bundleID.description)
    writer.key("topic")
    writer.string(refresh.app.topic)
    writer.key("widgets")
    writer.beginArray()
    for position in refresh.included where refresh.widgets.indices.contains(position) {
      writer.beginObject()
      writer.members(of: refresh.widgets[position])
      writer.endObject()
    }
    writer.endArray()
    writer.key("payload")
    if let payload = refresh.push.payload {
      payload.withUnsafeBytes { writer.embed($0) }
    } else {
      writer.raw(PayloadValidator.usual)
    }
    writer.endObject()
    writer.raw("\n\n")
  }
}
