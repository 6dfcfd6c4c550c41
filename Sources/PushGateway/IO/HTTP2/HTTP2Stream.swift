package import HTTPMessage

/// One request and its response. Pooled: made once, used for many streams, one after the other.
///
/// Not Sendable; it belongs to the loop of its connection. nghttp2 holds an unretained pointer to it (stream user data),
/// and its one ``Keeper`` keeps it alive for as long.
///
/// What other modules read is computed from storage that they do not see: an access to such storage is checked for
/// overlaps when it is compiled, and to any other at run time, each time.
package final class HTTP2Stream {
  /// A stream object as those hold it that are responsible for it: at any time exactly one of the pool in which it rests,
  /// the list of open streams, its last event, and the connection that has told that event. Each hands it on to the next,
  /// and whoever frees it releases it; all others borrow. So no step of a request counts references.
  typealias Keeper = Unmanaged<HTTP2Stream>

  /// The stream's number on its connection; 0 while the object rests in the pool.
  package var id: Int32 { number }
  /// Header fields of the message received: the request on a server, the final response on a client.
  package let headers = HeaderBlock()
  /// Body of the message received, up to its limit; a copy.
  package var body: [UInt8] { Array(bodyBytes) }
  /// The body itself. It stays until it is given back with ``HTTP2Connection/releaseRequest(of:)``, which is to be as soon
  /// as it has been read, or until its stream closes.
  package var bodyBytes: UnsafeRawBufferPointer {
    received?._withUnsafeGuaranteedRef { $0.bytes } ?? UnsafeRawBufferPointer(start: nil, count: 0)
  }

  /// The peer has finished its message.
  package var isRemoteEnded: Bool { state.isRemoteEnded }
  /// A response, or the start of one, has been submitted; on a client, the request.
  package var isAnswered: Bool { state.isAnswered }
  package var isBodyOverLimit: Bool { state.isBodyOverLimit }

  var isHeadRequest: Bool { headers.withValue(of: .method) { $0.elementsEqual("HEAD".utf8) } ?? false }

  var number: Int32 = 0
  /// Lent by the pool when the first octet comes.
  var received: BodyBuffer.Keeper?
  /// Place in the connection's list of open streams.
  var slot = 0
  var state = State()
  /// The message that we send.
  var outgoing: [UInt8] = []
  /// Something was written to `outgoing` since it was last cleared.
  private var hasOutgoing = false

  /// What is forgotten between two streams, at one stroke.
  struct State {
    var isRemoteEnded = false
    /// Milliseconds, as the connection's owner counts them.
    var begunAt: UInt64 = 0
    /// What the header list counts for in the connection's memory.
    var headerBytes = 0
    var isAnswered = false
    var isBodyOverLimit = false
    /// The message's own header block is complete; what comes after it are trailers.
    var isHeaded = false
    /// Its reset is decided: nothing more is reported of it but its end.
    var isRejected = false
    /// `dataReceived` has been said of octets that are not yet taken.
    var hasReportedData = false
    /// Octets of `outgoing` that are already framed.
    var outgoingTaken = 0
    var isOutgoingEnded = false
    /// nghttp2 waits for `resume`: its last question for data found none.
    var isOutgoingDeferred = false
    /// `outputDrained` is owed: something was written since it was last said.
    var owesDrained = false
    /// The answer was early: RST_STREAM(NO_ERROR) follows it (RFC 9113 §8.1).
    var resetsWhenSent = false
  }

  /// Octets of the body that are held.
  var bodyCount: Int { received?._withUnsafeGuaranteedRef { $0.count } ?? 0 }

  /// Octets written and not yet framed. A frame that is only partly taken counts in
  /// ``HTTP2Connection/isOutputEmpty(of:)``, not here.
  package var unframedOutput: Int { outgoing.count - state.outgoingTaken }

  /// Client: the body so far, which leaves the stream; the next octet is reported again.
  package func takeBody() -> [UInt8] {
    state.hasReportedData = false
    let taken = body
    received?._withUnsafeGuaranteedRef { $0.removeAll() }
    return taken
  }

  deinit { received?.release() }

  func appendOutgoing(_ bytes: UnsafeRawBufferPointer) {
    hasOutgoing = true
    if state.outgoingTaken == outgoing.count {
      outgoing.removeAll(keepingCapacity: true)
      state.outgoingTaken = 0
    } else if state.outgoingTaken > 16_384, state.outgoingTaken > outgoing.count / 2 {
      outgoing.removeFirst(state.outgoingTaken)
      state.outgoingTaken = 0
    }
    outgoing.append(contentsOf: bytes)
  }

  /// Ready for the next stream. Large buffers go: a pool of many objects must not keep the largest body each has seen.
  func clear() {
    number = 0
    headers.removeAll()
    state = State()
    guard hasOutgoing else { return }
    hasOutgoing = false
    if outgoing.capacity > 4096 {
      outgoing = []
    } else if !outgoing.isEmpty {
      outgoing.removeAll(keepingCapacity: true)
    }
  }
}
