/// Stream objects and body buffers at rest, shared by all connections of one loop.
///
/// Last in, first out: what was used last is still in the processor's cache. Body buffers rest apart from the streams,
/// since a body is done when its request has been read, long before its stream closes. Not Sendable.
package final class HTTP2StreamPool {
  /// The pool keeps these, and the bodies: it releases them with itself.
  private let streams = PlainList<HTTP2Stream.Keeper>()
  private let bodies = PlainList<BodyBuffer.Keeper>()
  private let limit: Int
  let memory = SessionMemory()

  /// - Parameter limit: objects of each kind that may rest here; more are freed.
  package init(limit: Int = 4096) {
    self.limit = limit
  }

  deinit {
    while let stream = streams.popLast() { stream.release() }
    while let body = bodies.popLast() { body.release() }
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

  func lendBody(to stream: HTTP2Stream) -> BodyBuffer.Keeper {
    let body = bodies.popLast() ?? Unmanaged.passRetained(BodyBuffer())
    stream.received = body
    return body
  }

  func giveBackBody(of stream: HTTP2Stream) {
    guard let body = stream.received else { return }
    stream.received = nil
    let isFit = body._withUnsafeGuaranteedRef {
      $0.removeAll()
      return $0.capacity <= 16_384
    }
    if isFit, bodies.count < limit { bodies.append(body) } else { body.release() }
  }
}
