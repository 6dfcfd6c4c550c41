import CNGHTTP2

/// One HTTP/2 connection, server or client, over bytes in memory: no sockets, no clock.
///
/// A turn of its owner: feed what was read to ``receive(_:at:)``, take all events with ``nextEvent()`` and answer them,
/// then call ``drainOutput(into:)`` until it fills nothing, take the events that this made, and close when
/// ``isFinished``. Not Sendable: it belongs to one loop.
package final class HTTP2Connection {
  package let role: HTTP2Role
  let session: SessionHandle
  let collector: EventCollector
  /// Field names that our answers have put into the table of the peer's HPACK decoder; a set of bits.
  private var taughtNames: UInt32 = 0

  /// Bytes of nghttp2's that are not yet taken. They stay valid until its next `mem_send`.
  private var chunk = UnsafeRawBufferPointer(start: nil, count: 0)
  /// Frames of our own making, sent after `chunk`: a SETTINGS frame with its number changed, the last GOAWAY.
  private var ownFrames: [UInt8] = []
  private var ownFramesTaken = 0
  /// A first GOAWAY that waits for an answer that leaves no stream open.
  var quietGoodbye: [UInt8]?
  /// The first GOAWAY of an orderly end has been sent, or is about to be.
  package private(set) var hasAnnouncedShutdown = false
  /// What our SETTINGS frames shall say, in the order in which they were submitted.
  private var announcements: [UInt32] = []
  /// Whether there are any; asked for each frame that leaves.
  private var hasAnnouncements = false
  /// The stream whose end the last event told; given back with the next.
  private var closedStream: HTTP2Stream.Keeper?
  private var broken: HTTP2Error?
  /// Whether there is a ``failure``; asked with each answer.
  private(set) var isBroken = false

  /// Why the connection cannot go on; ``receive(_:at:)`` threw it.
  package var failure: HTTP2Error? { broken }

  package init(role: HTTP2Role, settings: HTTP2Settings = HTTP2Settings(), pool: HTTP2StreamPool) throws(HTTP2Error) {
    self.role = role
    collector = EventCollector(role: role, settings: settings, pool: pool)
    session = try SessionHandle(collector: collector)
    try submitFirstSettings(settings)
  }

  deinit {
    if let closedStream { collector.pool.giveBack(closedStream) }
  }

  // MARK: Input

  /// Feeds bytes of the peer and collects what they mean. Sends nothing.
  /// - Parameter now: milliseconds of a clock that does not step back; what the flood limits count in.
  /// - Throws: when the connection cannot go on. Drain the output once more and close.
  package func receive(_ bytes: UnsafeRawBufferPointer, at now: UInt64) throws(HTTP2Error) {
    if let failure { throw failure }
    collector.now = now
    let taken = nghttp2_session_mem_recv(
      session.raw, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), bytes.count)
    guard taken >= 0 else { throw fail(Self.meaning(of: Int32(truncatingIfNeeded: taken))) }
    while let rejection = collector.rejected.popLast() {
      nghttp2_submit_rst_stream(
        session.raw, UInt8(NGHTTP2_FLAG_NONE.rawValue), rejection.id, rejection.code.rawValue)
    }
    if collector.isViolated { throw fail(.violated) }
    if let flood = collector.flood { throw fail(.flooded(flood)) }
    let limit = collector.settings.maximumStreams * 4 + collector.settings.unreadFrames
    if role == .server, nghttp2_session_get_outbound_queue_size(session.raw) > limit {
      throw fail(.flooded(.unreadFrames))
    }
  }

  /// The next thing that happened, nil when all is told. Ends the loan of a stream whose end the call before told.
  package func nextEvent() -> HTTP2Event? {
    if let closedStream {
      collector.pool.giveBack(closedStream)
      self.closedStream = nil
    }
    guard let event = collector.takeEvent() else { return nil }
    if case .streamClosed(let stream, _) = event { closedStream = stream }
    return event.told
  }

  // MARK: Output

  /// Copies what is to be sent.
  /// - Returns: how much of `buffer` was filled; less than all of it means that nothing more is to be sent now.
  package func drainOutput(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    var filled = 0
    while filled < buffer.count {
      if chunk.isEmpty, ownFramesTaken == ownFrames.count {
        guard !isBroken, loadChunk() || becameQuiet() else { break }
        continue
      }
      let room = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
      if !chunk.isEmpty {
        let count = min(chunk.count, room.count)
        room.copyMemory(from: UnsafeRawBufferPointer(rebasing: chunk[..<count]))
        chunk = UnsafeRawBufferPointer(rebasing: chunk[count...])
        filled += count
        if chunk.isEmpty { collector.frameTaken() }
      } else {
        let count = min(ownFrames.count - ownFramesTaken, room.count)
        let start = ownFramesTaken
        ownFrames.withUnsafeBytes { room.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[start..<start + count])) }
        ownFramesTaken += count
        filled += count
        if ownFramesTaken == ownFrames.count {
          ownFrames = []
          ownFramesTaken = 0
        }
      }
    }
    return filled
  }

  /// Something can be sent now: call ``drainOutput(into:)``.
  package var wantsWrite: Bool {
    if !chunk.isEmpty || ownFramesTaken < ownFrames.count { return true }
    if mayPartQuietly, failure == nil { return true }
    return failure == nil && nghttp2_session_want_write(session.raw) != 0
  }

  /// Nothing more will come and nothing is left to be said: close the socket.
  package var isFinished: Bool {
    if wantsWrite { return false }
    return failure != nil || nghttp2_session_want_read(session.raw) == 0
  }

  package var openStreams: Int { collector.open.count }

  /// The last stream that the peer has opened and that was taken up; 0 when there is none.
  package var lastPeerStream: Int32 { nghttp2_session_get_last_proc_stream_id(session.raw) }

  /// An answer has begun and not ended, for one because the peer's window is closed.
  package var owesOutput: Bool { collector.open.elements.contains { $0._withUnsafeGuaranteedRef { $0.isAnswered } } }

  /// A request is whole and its answer has not begun: it waits for something of ours.
  package var owesAnswer: Bool {
    collector.open.elements.contains { $0._withUnsafeGuaranteedRef { $0.isRemoteEnded && !$0.isAnswered } }
  }

  /// A first GOAWAY waits for an answer that leaves no stream open.
  package var awaitsQuiet: Bool { quietGoodbye != nil }

  /// The open stream with that number. What completes later asks here, and finds nothing when the peer has left.
  package func stream(_ id: Int32) -> HTTP2Stream? { streamObject(session.raw, id) }

  /// What the peer's GOAWAY carried, at most 1024 bytes of it.
  package var peerDebugData: [UInt8] { collector.peerDebugData }

  /// Streams that the peer lets us open, as its last SETTINGS says.
  package var peerMaximumStreams: UInt32 {
    nghttp2_session_get_remote_settings(session.raw, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS)
  }

  /// Gives the request's body back to the pool. Call it as soon as the request has been read: a body is not needed until
  /// its stream closes.
  package func releaseRequest(of stream: HTTP2Stream) { collector.releaseBody(of: stream) }

  /// Octets that requests may hold, all streams together; see ``HTTP2Settings/requestMemory``.
  package var requestMemory: Int {
    get { collector.requestMemory }
    set { collector.requestMemory = newValue }
  }

  // MARK: Inside

  private func loadChunk() -> Bool {
    var start: UnsafePointer<UInt8>?
    let count = nghttp2_session_mem_send(session.raw, &start)
    while let id = collector.answeredEarly.popLast() {
      guard streamObject(session.raw, id) != nil else { continue }
      nghttp2_submit_rst_stream(
        session.raw, UInt8(NGHTTP2_FLAG_NONE.rawValue), id, HTTP2ErrorCode.noError.rawValue)
    }
    guard count >= 0 else {
      _ = fail(.nghttp2(code: Int32(truncatingIfNeeded: count)))
      return ownFramesTaken < ownFrames.count
    }
    guard count > 0 else { return false }
    let loaded = UnsafeRawBufferPointer(start: start, count: count)
    if hasAnnouncements, let announced = announcements.first, SettingsFrame.isRequest(loaded) {
      announcements.removeFirst()
      hasAnnouncements = !announcements.isEmpty
      ownFrames = SettingsFrame.announcing(announced, in: loaded)
      ownFramesTaken = 0
    } else {
      chunk = loaded
    }
    return true
  }

  /// All is said that was to be said, so a goodbye that waited for that can follow.
  private func becameQuiet() -> Bool {
    guard mayPartQuietly else { return false }
    announceQueuedShutdown()
    return true
  }

  private var mayPartQuietly: Bool { quietGoodbye != nil && openStreams == 0 && collector.hasClosedStream }

  /// What has named a last stream cannot allow later ones again.
  func retractShutdown() {
    quietGoodbye = nil
    hasAnnouncedShutdown = true
  }

  func announceQueuedShutdown() {
    guard let frame = quietGoodbye else { return }
    quietGoodbye = nil
    hasAnnouncedShutdown = true
    queueOwn(frame)
  }

  /// nghttp2 itself never counts streams: at its own limit it would end the connection (RFC 9113 §5.1.2 lets us refuse
  /// the stream instead). It is told of a limit out of reach, and the number is changed in the frame that leaves.
  func submitSettings(announcing streams: Int, _ entries: [nghttp2_settings_entry] = []) -> Int32 {
    let outOfReach = nghttp2_settings_entry(
      settings_id: Int32(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS.rawValue), value: UInt32(Int32.max))
    let all = entries + [outOfReach]
    let result = nghttp2_submit_settings(session.raw, UInt8(NGHTTP2_FLAG_NONE.rawValue), all, all.count)
    if result == 0 {
      announcements.append(UInt32(clamping: streams))
      hasAnnouncements = true
    }
    return result
  }

  /// Names of fields whose values never come again, `apns-id` above all, are spelled out with each answer unless the peer
  /// once had them in an indexed field. So they are indexed in the first answer that has them, with their values of that
  /// time.
  /// - Returns: the names that this answer is to teach, most times none.
  func namesToTeach(with fields: borrowing OutgoingFields) -> UInt32 {
    let new = fields.unindexedNames & ~taughtNames
    if new != 0 { taughtNames |= new }
    return new
  }

  /// What the SETTINGS frame that has not left yet shall say.
  /// - Returns: false when none is waiting.
  func amendAnnouncement(to streams: Int) -> Bool {
    guard let last = announcements.indices.last else { return false }
    announcements[last] = UInt32(clamping: streams)
    return true
  }

  private func submitFirstSettings(_ settings: HTTP2Settings) throws(HTTP2Error) {
    func entry(_ id: nghttp2_settings_id, _ value: Int) -> nghttp2_settings_entry {
      nghttp2_settings_entry(settings_id: Int32(id.rawValue), value: UInt32(clamping: value))
    }
    var entries = [
      entry(NGHTTP2_SETTINGS_HEADER_TABLE_SIZE, settings.headerTableSize),
      entry(NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, settings.initialWindow),
      entry(NGHTTP2_SETTINGS_MAX_FRAME_SIZE, settings.maximumFrameSize),
      entry(NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, settings.headerListLimit),
      entry(NGHTTP2_SETTINGS_NO_RFC7540_PRIORITIES, 1),
    ]
    let result: Int32
    switch role {
    case .server:
      result = submitSettings(announcing: settings.announcedStreams, entries)
    case .client:
      entries.append(entry(NGHTTP2_SETTINGS_ENABLE_PUSH, 0))
      result = nghttp2_submit_settings(session.raw, UInt8(NGHTTP2_FLAG_NONE.rawValue), entries, entries.count)
    }
    guard result == 0 else { throw .nghttp2(code: result) }
  }

  /// Sends a whole frame that nghttp2 knows nothing of, after what is on its way. It never comes between the frames of
  /// one header block: ours are not longer than one frame.
  func queueOwn(_ frame: [UInt8]) { ownFrames += frame }

  private func fail(_ error: HTTP2Error) -> HTTP2Error {
    broken = error
    isBroken = true
    if error == .prefaceInvalid {
      ownFrames = []
      ownFramesTaken = 0
    } else {
      ownFrames += GoAwayFrame.bytes(
        lastStreamID: nghttp2_session_get_last_proc_stream_id(session.raw), code: error.code)
    }
    return error
  }

  private static func meaning(of code: Int32) -> HTTP2Error {
    switch code {
    case NGHTTP2_ERR_BAD_CLIENT_MAGIC.rawValue: .prefaceInvalid
    case NGHTTP2_ERR_FLOODED.rawValue: .flooded(.controlFrames)
    case NGHTTP2_ERR_TOO_MANY_CONTINUATIONS.rawValue: .flooded(.continuations)
    default: .nghttp2(code: code)
    }
  }
}
