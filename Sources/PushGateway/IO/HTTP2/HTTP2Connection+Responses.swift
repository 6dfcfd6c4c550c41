import CNGHTTP2

/// Answers. Field lists start with `OutgoingFields.startResponse(status:)`. All of these do nothing when the stream has
/// closed meanwhile.
extension HTTP2Connection {
  /// One HEADERS frame with END_STREAM and nothing after it: an empty DATA frame breaks client libraries.
  package func respond(to stream: HTTP2Stream, _ fields: borrowing OutgoingFields) {
    submitResponse(to: stream, fields, hasBody: false)
  }

  /// HEADERS and the body, in one DATA frame with END_STREAM when it is not longer than 16 384 octets and the peer's
  /// window has room. The answer to a HEAD has no body, whatever it says (RFC 9110 §9.3.2).
  package func respond(to stream: HTTP2Stream, _ fields: borrowing OutgoingFields, body: UnsafeRawBufferPointer) {
    guard !body.isEmpty, !stream.isHeadRequest else { return submitResponse(to: stream, fields, hasBody: false) }
    guard mayAnswer(stream) else { return }
    stream.appendOutgoing(body)
    stream.state.isOutgoingEnded = true
    submitResponse(to: stream, fields, hasBody: true)
  }

  package func respond(to stream: HTTP2Stream, _ fields: borrowing OutgoingFields, body: [UInt8]) {
    body.withUnsafeBytes { respond(to: stream, fields, body: $0) }
  }

  /// Answers before the request has ended, and asks the client to stop sending once the answer has left. In the other
  /// order the reset would overtake the answer.
  package func respondEarly(to stream: HTTP2Stream, _ fields: borrowing OutgoingFields, body: [UInt8]) {
    guard !body.isEmpty else { preconditionFailure("An early answer says why, in a body.") }
    stream.state.resetsWhenSent = !stream.state.isRemoteEnded
    respond(to: stream, fields, body: body)
  }

  /// Starts a response whose body is written piece by piece.
  package func openStream(_ stream: HTTP2Stream, _ fields: borrowing OutgoingFields) {
    submitResponse(to: stream, fields, hasBody: true)
  }

  /// Adds to a body that was started with `openStream` or `openRequest`. It is all kept until it has left: ask
  /// ``isOutputEmpty(of:)`` first.
  package func write(_ bytes: UnsafeRawBufferPointer, to stream: HTTP2Stream) {
    guard failure == nil, collector.isOpen(stream), stream.state.isAnswered, !stream.state.isOutgoingEnded,
      !bytes.isEmpty
    else { return }
    stream.appendOutgoing(bytes)
    stream.state.owesDrained = true
    resume(stream)
  }

  package func write(_ bytes: [UInt8], to stream: HTTP2Stream) { bytes.withUnsafeBytes { write($0, to: stream) } }

  /// Ends such a body. What was written still leaves.
  package func endStream(_ stream: HTTP2Stream) {
    guard failure == nil, collector.isOpen(stream), stream.state.isAnswered, !stream.state.isOutgoingEnded else {
      return
    }
    stream.state.isOutgoingEnded = true
    resume(stream)
  }

  /// All that was written has been framed and taken by ``drainOutput(into:)``. A peer that does not open its window
  /// keeps this false.
  package func isOutputEmpty(of stream: HTTP2Stream) -> Bool {
    stream.unframedOutput == 0 && !collector.isFramed(stream)
  }

  private func resume(_ stream: HTTP2Stream) {
    guard stream.state.isOutgoingDeferred else { return }
    stream.state.isOutgoingDeferred = false
    nghttp2_session_resume_data(session.raw, stream.number)
  }

  private func mayAnswer(_ stream: HTTP2Stream) -> Bool {
    guard role == .server else { preconditionFailure("Only a server answers.") }
    return !isBroken && !stream.state.isAnswered && collector.isOpen(stream)
  }

  private func submitResponse(to stream: HTTP2Stream, _ fields: borrowing OutgoingFields, hasBody: Bool) {
    guard mayAnswer(stream) else { return }
    stream.state.isAnswered = true
    let result = fields.withNameValues(teaching: namesToTeach(with: fields)) { list in
      guard hasBody else {
        return nghttp2_submit_response(session.raw, stream.number, list.baseAddress, list.count, nil)
      }
      var provider = makeDataProvider(for: stream)
      return nghttp2_submit_response(session.raw, stream.number, list.baseAddress, list.count, &provider)
    }
    if result != 0 { reset(stream, code: .internalError) }
  }
}
