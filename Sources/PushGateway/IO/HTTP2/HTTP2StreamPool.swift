/// Stream objects and body buffers at rest, shared by all connections of one loop.
///
/// Last in, first out: what was used last is still in the processor's cache. Body buffers rest apart from the streams,
/// since a body is done when its request has been read, long before its stream closes. Not Sendable.
package final class HTTP2StreamPool {
  /// The pool keeps them: it releases them with itself.
  private var streams: [HTTP2Stream.Keeper] = []
  private var bodies: [[UInt8]] = []
  private let limit: Int
  let memory = SessionMemory()

  /// - Parameter limit: objects of each kind that may rest here; more are freed.
  package init(limit: Int = 4096) {
    self.limit = limit
  }

  deinit {
    for stream in streams { stream.release() }
  }

  package var restingStreams: Int { streams.count }
  package var restingBodies: Int { bodies.count }

  /// Whoever takes it keeps it, until it is given back.
  func takeStream() -> HTTP2Stream.Keeper { streams.popLast() ?? Unmanaged.passRetained(HTTP2Stream()) }

  func giveBack(_ stream: HTTP2Stream.Keeper) {
    stream._withUnsafeGuaranteedRef {
      giveBackBody(of: $0)
      $0.clear()
    }
    if streams.count < limit { streams.append(stream) } else { stream.release() }
  }

  func lendBody(to stream: HTTP2Stream) {
    if let body = bodies.popLast() {
      stream.received = body
    } else {
      stream.received.reserveCapacity(512)
    }
  }

  func giveBackBody(of stream: HTTP2Stream) {
    guard stream.received.capacity > 0 else { return }
    var body = stream.received
    stream.received = []
    guard body.capacity <= 16_384, bodies.count < limit else { return }
    body.removeAll(keepingCapacity: true)
    bodies.append(body)
  }
}
