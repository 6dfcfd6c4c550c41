import CNGHTTP2

/// The client's side. Field lists start with `OutgoingFields.startRequest(…)`.
extension HTTP2Connection {
  /// Sends a request; without a body its HEADERS frame has END_STREAM.
  /// - Returns: the stream that will bring the response; nil when the connection takes no more requests.
  package func submitRequest(_ fields: borrowing OutgoingFields, body: [UInt8] = []) -> HTTP2Stream? {
    submit(fields, body: body, isEnded: true)
  }

  /// Starts a request whose body is written with ``write(_:to:)`` and ended with ``endStream(_:)``.
  package func openRequest(_ fields: borrowing OutgoingFields) -> HTTP2Stream? {
    submit(fields, body: [], isEnded: false)
  }

  private func submit(_ fields: borrowing OutgoingFields, body: [UInt8], isEnded: Bool) -> HTTP2Stream? {
    guard role == .client else { preconditionFailure("Only a client sends requests.") }
    guard failure == nil, nghttp2_session_check_request_allowed(session.raw) != 0 else { return nil }
    let kept = collector.open(0)
    let stream = kept.takeUnretainedValue()
    body.withUnsafeBytes { stream.appendOutgoing($0) }
    stream.state.isOutgoingEnded = isEnded
    stream.state.isAnswered = true
    let context = kept.toOpaque()
    let id = fields.withNameValues { list in
      guard !body.isEmpty || !isEnded else {
        return nghttp2_submit_request(session.raw, nil, list.baseAddress, list.count, nil, context)
      }
      var provider = makeDataProvider(for: stream)
      return nghttp2_submit_request(session.raw, nil, list.baseAddress, list.count, &provider, context)
    }
    guard id > 0 else {
      collector.discard(kept)
      return nil
    }
    stream.number = id
    return stream
  }
}
