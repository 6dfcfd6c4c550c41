import CNGHTTP2

/// Owns one `nghttp2_session` and the collector that its callbacks write to, so that the context outlives the session.
struct SessionHandle: ~Copyable {
  let raw: OpaquePointer
  let collector: EventCollector

  init(collector: EventCollector) throws(HTTP2Error) {
    var callbacks: OpaquePointer?
    var option: OpaquePointer?
    guard nghttp2_session_callbacks_new(&callbacks) == 0, let callbacks else {
      throw .nghttp2(code: NGHTTP2_ERR_NOMEM.rawValue)
    }
    defer { nghttp2_session_callbacks_del(callbacks) }
    guard nghttp2_option_new(&option) == 0, let option else { throw .nghttp2(code: NGHTTP2_ERR_NOMEM.rawValue) }
    defer { nghttp2_option_del(option) }
    registerHTTP2Callbacks(callbacks)
    Self.apply(collector.settings, to: option)

    // Unretained: `deinit` frees the session while this handle still holds the collector.
    let context = Unmanaged.passUnretained(collector).toOpaque()
    var session: OpaquePointer?
    // The session copies them; the collector's pool keeps what they point to.
    var memory = collector.pool.memory.functions
    let result =
      switch collector.role {
      case .server: nghttp2_session_server_new3(&session, callbacks, context, option, &memory)
      case .client: nghttp2_session_client_new3(&session, callbacks, context, option, &memory)
      }
    guard result == 0, let session else { throw .nghttp2(code: result) }
    raw = session
    self.collector = collector
  }

  deinit {
    nghttp2_session_del(raw)
    collector.abandonStreams()
  }

  private static func apply(_ settings: HTTP2Settings, to option: OpaquePointer) {
    // Closed streams are kept for RFC 7540 priorities, which we do not use: 8 % CPU and up to 240 KB a connection.
    nghttp2_option_set_no_closed_streams(option, 1)
    // Twice our own limits, which answer with ENHANCE_YOUR_CALM: a second line that runs on nghttp2's own clock.
    nghttp2_option_set_stream_reset_rate_limit(
      option, UInt64(max(1, settings.resetBurst)) * 2, UInt64(max(1, settings.resetsPerSecond)) * 2)
    nghttp2_option_set_max_continuations(option, settings.maximumContinuations)
    if !settings.creditsAutomatically { nghttp2_option_set_no_auto_window_update(option, 1) }
    nghttp2_option_set_peer_max_concurrent_streams(option, UInt32(clamping: settings.assumedPeerStreams))
  }
}
