/// Stream objects and body buffers at rest, shared by all connections of one loop.
///
/// Last in, first out: what was used last is still in the processor's cache. Body buffers rest apart from the streams,
/// since a body is done when its request has been read, long before its stream closes. Not Sendable.
package final class HTTP2StreamPool {
  private var streams: [HTTP2Stream] = []
  private var bodies: [[UInt8]] = []
  private let limit: Int

  /// - Parameter limit: objects of each kind that may rest here; more are freed.
  package init(limit: Int = 4096) {
    self.limit = limit
  }

  package var restingStreams: Int { streams.count }
  package var restingBodies: Int { bodies.count }

  func takeStream() -> HTTP2Stream { streams.popLast() ?? HTTP2Stream() }

  func giveBack(_ stream: HTTP2Stream) {
    giveBackBody(of: stream)
    stream.clear()
    if streams.count < limit { streams.append(stream) }
  }

  func lendBody(to stream: HTTP2Stream) {
    if let body = bodies.popLast() {
      stream.body = body
    } else {
      stream.body.reserveCapacity(512)
    }
  }

  func giveBackBody(of stream: HTTP2Stream) {
    guard stream.body.capacity > 0 else { return }
    var body: [UInt8] = []
    swap(&body, &stream.body)
    guard body.capacity <= 16_384, bodies.count < limit else { return }
    body.removeAll(keepingCapacity: true)
    bodies.append(body)
  }
}
