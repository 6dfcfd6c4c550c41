package import TokenStore

/// Writes what a device's update stream carries (WHATWG HTML, "Server-sent events"): refreshes, and comment lines that
/// show that the stream lives.
package enum EventStreamFrame {
  /// A comment line and the end of an (empty) event, which every reader ignores.
  package static let heartbeat: [UInt8] = Array(": heartbeat\n\n".utf8)

  /// Appends one refresh event. There is one for each hand-over, so it is bytes from end to end.
  ///
  /// - Parameters:
  ///   - push: the newest push that it carries.
  ///   - widgets: those of the app that are to refresh, in the registration's order.
  ///   - payload: the push's, which is JSON; its line breaks become spaces, since a line break ends `data`.
  ///   - buffer: what is appended to.
  package static func appendRefresh(
    id: EventID, push: PushID, app: BundleID, widgets: some Sequence<Widget>, payload: UnsafeRawBufferPointer,
    to buffer: inout [UInt8]
  ) {
    var writer = JSONTextWriter()
    swap(&writer.bytes, &buffer)
    defer { swap(&writer.bytes, &buffer) }
    writer.raw("id: ")
    id.write(to: &writer)
    writer.raw("\nevent: refresh\ndata: ")
    writer.beginObject()
    writer.key("apns-id")
    writer.uuid(push.uuid)
    writer.key("app")
    writer.string(app.description)
    writer.key("topic")
    writer.topic(of: app)
    writer.key("widgets")
    writer.beginArray()
    for widget in widgets {
      writer.beginObject()
      writer.members(of: widget)
      writer.endObject()
    }
    writer.endArray()
    writer.key("payload")
    writer.embed(payload)
    writer.endObject()
    writer.raw("\n\n")
  }
}
