import TokenStore

/// What a fan-out's owner is told of it; see "Fan-outs" in docs/http-api.md.
package enum FanOutAnswer {
  package static func body(of fanOut: FanOut) -> [UInt8] {
    var writer = JSONTextWriter()
    write(fanOut, to: &writer)
    return writer.bytes
  }

  /// One event of `/events`: named by the state, so that a reader sees the end without reading on.
  package static func event(of fanOut: FanOut) -> [UInt8] {
    var writer = JSONTextWriter()
    writer.raw("event: ")
    writer.raw(fanOut.state.word)
    writer.raw("\ndata: ")
    write(fanOut, to: &writer)
    writer.raw("\n\n")
    return writer.bytes
  }

  package static func path(of fanOut: FanOut) -> String { "/v1/fan-outs/\(fanOut.id)" }

  private static func write(_ fanOut: FanOut, to writer: inout JSONTextWriter) {
    let counts = fanOut.counts
    writer.beginObject()
    writer.key("id")
    writer.uuid(fanOut.id)
    writer.key("apns-id")
    writer.uuid(fanOut.order.push.id.uuid)
    writer.key("app")
    writer.string(fanOut.order.bundleID.description)
    writer.key("environment")
    writer.string(fanOut.order.environment.rawValue)
    writer.key("state")
    writer.string("\(fanOut.state.word)")
    let members: [(StaticString, Int)] = [
      ("percent", fanOut.percent), ("matched", counts.matched), ("marked", counts.marked), ("skipped", counts.skipped),
      ("sent", counts.sent),
      ("received", counts.received), ("deferred", counts.deferred), ("dropped", counts.dropped),
      ("superseded", counts.superseded), ("expired", counts.expired), ("removed", counts.removed),
    ]
    for (name, count) in members {
      writer.key(name)
      writer.integer(count)
    }
    writer.endObject()
  }
}
