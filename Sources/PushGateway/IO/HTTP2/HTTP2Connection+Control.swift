import CNGHTTP2

/// What concerns the whole connection, or ends a stream.
extension HTTP2Connection {
  /// Sends a new SETTINGS that admits to more streams. Server only.
  /// - Parameter fromTheStart: if the first SETTINGS has not left yet, it says so itself and no second one follows.
  package func raiseAnnouncedStreams(to streams: Int, fromTheStart: Bool = false) {
    guard role == .server, failure == nil, !(fromTheStart && amendAnnouncement(to: streams)) else { return }
    _ = submitSettings(announcing: streams)
  }

  /// Asks the peer for a sign of life; ``HTTP2Event/pingAcknowledged`` answers it.
  package func ping() {
    guard failure == nil else { return }
    if nghttp2_submit_ping(session.raw, UInt8(NGHTTP2_FLAG_NONE.rawValue), nil) == 0 { collector.pingsInFlight += 1 }
  }

  /// The first phase of an orderly end: tells the client to open no more streams, while those under way and those that
  /// cross it are served (RFC 9113 §6.8). Give it a round trip's time to arrive, then
  /// ``goAway(lastStreamID:code:debugData:)``.
  ///
  /// It says why at once: a client without open streams may leave on it and never see the second.
  /// - Parameters:
  ///   - debugData: at most 16 376 octets.
  ///   - whenQuiet: it leaves right behind the next answer that leaves no stream open, in the same piece of output.
  ///     Clients over Python's h2 take no frame but another GOAWAY after the first, and lose with it what they have read
  ///     in the same piece. Called again with false it leaves now.
  package func announceShutdown(debugData: [UInt8] = [], whenQuiet: Bool = false) {
    guard role == .server, failure == nil, !hasAnnouncedShutdown else { return }
    if quietGoodbye == nil {
      quietGoodbye = GoAwayFrame.bytes(lastStreamID: .max, code: .noError, debugData: debugData)
      collector.hasClosedStream = false
    }
    if !whenQuiet { announceQueuedShutdown() }
  }

  /// Sends GOAWAY. Open streams up to `lastStreamID` go on, later ones are closed with REFUSED_STREAM, and the connection
  /// ``isFinished`` when the last has closed.
  /// - Parameter lastStreamID: nil for the last stream that was taken up.
  package func goAway(lastStreamID: Int32? = nil, code: HTTP2ErrorCode = .noError, debugData: [UInt8] = []) {
    guard failure == nil else { return }
    retractShutdown()
    let last = lastStreamID ?? nghttp2_session_get_last_proc_stream_id(session.raw)
    nghttp2_submit_goaway(
      session.raw, UInt8(NGHTTP2_FLAG_NONE.rawValue), last, code.rawValue, debugData, debugData.count)
  }

  /// Ends one stream at once; a response that has not left yet is lost.
  package func reset(_ stream: HTTP2Stream, code: HTTP2ErrorCode) {
    guard failure == nil, collector.isOpen(stream) else { return }
    nghttp2_submit_rst_stream(session.raw, UInt8(NGHTTP2_FLAG_NONE.rawValue), stream.id, code.rawValue)
  }

  /// Resets streams whose requests have begun before `time` (milliseconds, as ``receive(_:at:)`` was told) and are not
  /// whole. Nothing more is reported of them but their end.
  /// - Returns: how many.
  package func resetOverdue(begunBefore time: UInt64) -> Int {
    guard role == .server, failure == nil else { return 0 }
    let overdue = collector.overdue(begunBefore: time)
    for stream in overdue {
      stream.state.isRejected = true
      reset(stream, code: .cancel)
    }
    return overdue.count
  }

  /// Opens the peer's window again by `count` octets, on the stream and the connection. Only without
  /// `creditsAutomatically`.
  package func credit(_ count: Int, to stream: HTTP2Stream) {
    guard failure == nil, collector.isOpen(stream) else { return }
    nghttp2_session_consume(session.raw, stream.id, count)
  }
}
