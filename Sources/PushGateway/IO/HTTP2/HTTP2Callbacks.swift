import CNGHTTP2
import HTTPMessage

// The functions that nghttp2 calls. Each recovers the collector, hands over bytes that are only valid for the call, and
// returns. None acts on the session, a queued reset excepted: see EventCollector.

/// Registers the callbacks below.
func registerHTTP2Callbacks(_ callbacks: OpaquePointer) {
  nghttp2_session_callbacks_set_on_begin_frame_callback(callbacks, onBeginFrame)
  nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, onBeginHeaders)
  nghttp2_session_callbacks_set_on_header_callback(callbacks, onHeader)
  nghttp2_session_callbacks_set_on_invalid_header_callback(callbacks, onInvalidHeader)
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, onDataChunk)
  nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, onFrame)
  nghttp2_session_callbacks_set_on_invalid_frame_recv_callback(callbacks, onInvalidFrame)
  nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, onStreamClose)
}

/// Where the octets of a message that we send come from.
func makeDataProvider(for stream: HTTP2Stream) -> nghttp2_data_provider {
  nghttp2_data_provider(
    source: nghttp2_data_source(ptr: Unmanaged.passUnretained(stream).toOpaque()), read_callback: onReadData)
}

/// The stream object behind a number. Nil for streams that were refused or are no longer open.
func streamObject(_ session: OpaquePointer?, _ id: Int32) -> HTTP2Stream? {
  borrowedStream(session, id)?.takeUnretainedValue()
}

/// As above, for as long as the list of open streams keeps it.
@inline(__always)
func borrowedStream(_ session: OpaquePointer?, _ id: Int32) -> HTTP2Stream.Keeper? {
  nghttp2_session_get_stream_user_data(session, id).map { Unmanaged.fromOpaque($0) }
}

/// Borrows the collector, which its session's handle keeps alive: two atomic operations fewer for every callback.
@inline(__always)
private func withCollector<Result>(
  _ context: UnsafeMutableRawPointer?, _ body: (EventCollector) -> Result
) -> Result {
  guard let context else { preconditionFailure("A session is made with its collector.") }
  return Unmanaged<EventCollector>.fromOpaque(context)._withUnsafeGuaranteedRef(body)
}

extension EventCollector {
  /// The open stream with that number, borrowed from the list of open streams.
  @inline(__always)
  fileprivate func borrowed(_ session: OpaquePointer?, _ id: Int32) -> HTTP2Stream.Keeper? {
    if let current, currentID == id { return current }
    guard let found = borrowedStream(session, id) else { return nil }
    current = found
    currentID = id
    return found
  }
}

/// Hears of frames that nghttp2 then ignores.
private func onBeginFrame(
  session: OpaquePointer?, head: UnsafePointer<nghttp2_frame_hd>?, context: UnsafeMutableRawPointer?
) -> Int32 {
  guard let head = head?.pointee else { return 0 }
  switch UInt32(head.type) {
  case NGHTTP2_HEADERS.rawValue: withCollector(context) { $0.headersBegan(on: head.stream_id) }
  case NGHTTP2_PRIORITY.rawValue where head.stream_id == 0: withCollector(context) { $0.isViolated = true }
  default: break
  }
  return 0
}

private func onBeginHeaders(
  session: OpaquePointer?, frame: UnsafePointer<nghttp2_frame>?, context: UnsafeMutableRawPointer?
) -> Int32 {
  guard let frame else { return 0 }
  let id = frame.pointee.hd.stream_id
  let isRequest = frame.pointee.headers.cat == NGHTTP2_HCAT_REQUEST
  return withCollector(context) { events in
    events.unheadedSize = 0
    if events.role == .server, isRequest {
      // A stream beyond the limit gets no object; it is refused when its header block has been read, which HPACK needs.
      guard events.open.count < events.settings.maximumStreams else {
        events.forgetCurrent()
        return 0
      }
      return nghttp2_session_set_stream_user_data(session, id, events.open(headedBy: id).toOpaque())
    }
    events.headersFollow(on: borrowedStream(session, id), id: id)
    return 0
  }
}

private func onHeader(
  session: OpaquePointer?, frame: UnsafePointer<nghttp2_frame>?, name: UnsafePointer<UInt8>?, nameCount: Int,
  value: UnsafePointer<UInt8>?, valueCount: Int, flags: UInt8, context: UnsafeMutableRawPointer?
) -> Int32 {
  withCollector(context) { events in
    let size = events.receivedField(
      name: UnsafeRawBufferPointer(start: name, count: nameCount),
      value: UnsafeRawBufferPointer(start: value, count: valueCount))
    guard size > events.headerListBound, let frame else { return 0 }
    // Queued before nghttp2 queues its own, which says INTERNAL_ERROR and is left out for it. What is left of the block
    // is decompressed, which the connection's HPACK table needs, and no longer looked at.
    nghttp2_submit_rst_stream(
      session, UInt8(NGHTTP2_FLAG_NONE.rawValue), frame.pointee.hd.stream_id, HTTP2ErrorCode.enhanceYourCalm.rawValue)
    events.countReset()
    return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue
  }
}

/// Without this callback nghttp2 drops an invalid field and goes on, so that a request with a broken `authorization`
/// would look like one without. RFC 9113 §8.2.1 calls such a message malformed, and nghttp2 resets its stream.
private func onInvalidHeader(
  session: OpaquePointer?, frame: UnsafePointer<nghttp2_frame>?, name: UnsafePointer<UInt8>?, nameCount: Int,
  value: UnsafePointer<UInt8>?, valueCount: Int, flags: UInt8, context: UnsafeMutableRawPointer?
) -> Int32 {
  withCollector(context) { $0.role == .server ? NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue : 0 }
}

private func onDataChunk(
  session: OpaquePointer?, flags: UInt8, id: Int32, data: UnsafePointer<UInt8>?, count: Int,
  context: UnsafeMutableRawPointer?
) -> Int32 {
  guard count > 0 else { return 0 }
  withCollector(context) { events in
    events.borrowed(session, id)?._withUnsafeGuaranteedRef { stream in
      events.received(UnsafeRawBufferPointer(start: data, count: count), on: stream)
    }
  }
  return 0
}

private func onFrame(
  session: OpaquePointer?, frame: UnsafePointer<nghttp2_frame>?, context: UnsafeMutableRawPointer?
) -> Int32 {
  guard let frame else { return 0 }
  let head = frame.pointee.hd
  withCollector(context) { events in
    switch UInt32(head.type) {
    case NGHTTP2_HEADERS.rawValue:
      guard let stream = events.borrowed(session, head.stream_id) else {
        if events.role == .server {
          events.rejected.append(EventCollector.Rejection(id: head.stream_id, code: .refusedStream))
        }
        return
      }
      stream._withUnsafeGuaranteedRef { events.receivedHeaders(on: $0, isEnd: head.isEndOfStream) }
    case NGHTTP2_DATA.rawValue:
      if head.isEndOfStream {
        events.borrowed(session, head.stream_id)?._withUnsafeGuaranteedRef { events.receivedEnd(of: $0) }
      } else if head.length == frame.pointee.data.padlen {
        events.countControlFrame()
      }
    case NGHTTP2_RST_STREAM.rawValue:
      events.countReset()
    case NGHTTP2_SETTINGS.rawValue:
      guard !head.isAcknowledgement else { return }
      events.countControlFrame()
      events.report(.settingsReceived)
    case NGHTTP2_PING.rawValue:
      if head.isAcknowledgement, events.pingsInFlight > 0 {
        events.pingsInFlight -= 1
        events.report(.pingAcknowledged)
      } else {
        events.countControlFrame()
      }
    case NGHTTP2_GOAWAY.rawValue:
      let goAway = frame.pointee.goaway
      // What a peer says on leaving is short; more than this is not kept.
      events.peerDebugData = Array(
        UnsafeBufferPointer(start: goAway.opaque_data, count: min(goAway.opaque_data_len, 1024)))
      events.report(
        .peerGoingAway(lastStreamID: goAway.last_stream_id, code: HTTP2ErrorCode(rawValue: goAway.error_code)))
    default:
      break
    }
  }
  return 0
}

private func onInvalidFrame(
  session: OpaquePointer?, frame: UnsafePointer<nghttp2_frame>?, error: Int32, context: UnsafeMutableRawPointer?
) -> Int32 {
  withCollector(context) { $0.countReset() }
  return 0
}

private func onStreamClose(
  session: OpaquePointer?, id: Int32, code: UInt32, context: UnsafeMutableRawPointer?
) -> Int32 {
  guard let stream = borrowedStream(session, id) else { return 0 }
  withCollector(context) { $0.close(stream, code: HTTP2ErrorCode(rawValue: code)) }
  return 0
}

private func onReadData(
  session: OpaquePointer?, id: Int32, buffer: UnsafeMutablePointer<UInt8>?, capacity: Int,
  flags: UnsafeMutablePointer<UInt32>?, source: UnsafeMutablePointer<nghttp2_data_source>?,
  context: UnsafeMutableRawPointer?
) -> Int {
  guard let pointer = source?.pointee.ptr else { return Int(NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue) }
  let target = UnsafeMutableRawBufferPointer(start: buffer, count: capacity)
  let framed = Unmanaged<HTTP2Stream>.fromOpaque(pointer)._withUnsafeGuaranteedRef { stream in
    withCollector(context) { $0.frame(stream, into: target) }
  }
  guard let (count, isLast) = framed else { return Int(NGHTTP2_ERR_DEFERRED.rawValue) }
  if isLast { flags?.pointee |= NGHTTP2_DATA_FLAG_EOF.rawValue }
  return count
}

extension nghttp2_frame_hd {
  fileprivate var isEndOfStream: Bool { UInt32(flags) & NGHTTP2_FLAG_END_STREAM.rawValue != 0 }
  fileprivate var isAcknowledgement: Bool { UInt32(flags) & NGHTTP2_FLAG_ACK.rawValue != 0 }
}
