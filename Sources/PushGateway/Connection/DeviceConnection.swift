import GatewayCore
import GatewayIO
import HTTPMessage
import TokenStore

/// A device's connection: its requests, and the one stream on which it hears of refreshes.
final class DeviceConnection: ConnectionListener {
  /// The update stream that this connection holds open, for one device.
  struct Updates {
    var session: SessionID
    var stream: Int32
    /// What was written last and the reader has not taken yet. The head of the answer does not count.
    var unread: LedgerCall.StreamOutput?
    /// Something was written since the last tick, so no heartbeat is owed.
    var wasActive = false
  }

  let worker: LoopWorker
  private var updates: [Updates] = []
  private var awaitsPing = false
  /// No stream is opened any more.
  private var isLeaving = false

  init(worker: LoopWorker) { self.worker = worker }

  func happened(_ event: HTTP2Event, on connection: HTTPConnection) {
    switch event {
    case .requestEnded(let stream):
      defer { connection.http2.releaseRequest(of: stream) }
      // What was too long has been passed on already.
      guard !stream.isAnswered, !stream.isBodyOverLimit else { return }
      pass(stream, .whole(stream.body), on: connection)
    case .bodyExceededLimit(let stream): pass(stream, .tooLong, on: connection)
    case .streamClosed(let stream, _):
      endUpdates(where: { $0.stream == stream.id })
    case .pingAcknowledged: awaitsPing = false
    default: break
    }
  }

  func outputFlushed(on connection: HTTPConnection) {
    for place in updates.indices {
      guard let output = updates[place].unread, let stream = connection.http2.stream(updates[place].stream),
        connection.http2.isOutputEmpty(of: stream)
      else { continue }
      updates[place].unread = nil
      worker.ledger.tell(.outputEmptied(updates[place].session, of: output))
    }
  }

  /// A heartbeat where nothing else was written, and a PING that the peer must answer before the next.
  func ticked(on connection: HTTPConnection) {
    guard !awaitsPing else { return connection.close() }
    awaitsPing = true
    connection.http2.ping()
    for place in updates.indices {
      if !updates[place].wasActive, let stream = connection.http2.stream(updates[place].stream),
        connection.http2.isOutputEmpty(of: stream)
      {
        connection.http2.write(EventStreamFrame.heartbeat, to: stream)
        // What was handed over and has not quite left says more.
        if updates[place].unread == nil { updates[place].unread = .heartbeat }
        worker.ledger.tell(.outputFilled(updates[place].session))
      }
      updates[place].wasActive = false
    }
  }

  var isHoldingStream: Bool { !updates.isEmpty }

  func idled(on connection: HTTPConnection) { connection.http2.goAway() }

  func drainBegan(on connection: HTTPConnection) {
    isLeaving = true
    for update in updates {
      if let stream = connection.http2.stream(update.stream) { connection.http2.endStream(stream) }
    }
    endUpdates(where: { _ in true })
    connection.http2.goAway()
  }

  func secured(on connection: HTTPConnection) {}

  func closed(_ connection: HTTPConnection) {
    endUpdates(where: { _ in true })
    worker.deviceCount -= 1
  }

  // MARK: Update streams

  /// The ledger knows of the stream; events come behind this.
  func opened(_ session: SessionID, _ stream: HTTP2Stream, on connection: HTTPConnection) {
    guard !isLeaving else {
      worker.ledger.tell(.streamEnded(session))
      return connection.http2.reset(stream, code: .refusedStream)
    }
    updates.append(Updates(session: session, stream: stream.id))
    worker.fields.startResponse(status: 200)
    worker.fields.append(.contentType, "text/event-stream")
    worker.fields.append("cache-control", "no-store")
    connection.http2.openStream(stream, worker.fields)
  }

  /// One event goes out: its batch is durable.
  func write(_ refresh: Delivery.Refresh, on connection: HTTPConnection) {
    guard let place = updates.firstIndex(where: { $0.session == refresh.session }),
      let stream = connection.http2.stream(updates[place].stream)
    else { return }
    updates[place].wasActive = true
    updates[place].unread = .refreshes
    worker.scratch.removeAll(keepingCapacity: true)
    EventStreamFrame.append(refresh, to: &worker.scratch)
    connection.http2.write(worker.scratch, to: stream)
    worker.touch(connection)
  }

  /// The stream's device has another stream now, or has left.
  func end(_ session: SessionID, on connection: HTTPConnection) {
    guard let update = updates.first(where: { $0.session == session }) else { return }
    endUpdates(where: { $0.session == session })
    if let stream = connection.http2.stream(update.stream) { connection.http2.endStream(stream) }
    worker.touch(connection)
  }

  private func endUpdates(where isEnding: (Updates) -> Bool) {
    for update in updates where isEnding(update) { worker.ledger.tell(.streamEnded(update.session)) }
    updates.removeAll(where: isEnding)
  }

  // MARK: Answers

  func deny(_ answer: PendingOutput.Answer, on connection: HTTPConnection) {
    guard let stream = connection.http2.stream(answer.place.stream) else { return }
    refuse(DeviceRefusal(.storeUnavailable, retryAfter: 1), stream, on: connection)
  }

  func confirm(_ answer: PendingOutput.Answer, on connection: HTTPConnection) {
    guard let stream = connection.http2.stream(answer.place.stream) else { return }
    worker.fields.startResponse(status: answer.status)
    if answer.body.isEmpty {
      connection.http2.respond(to: stream, worker.fields)
    } else {
      worker.fields.append(.contentType, "application/json")
      connection.http2.respond(to: stream, worker.fields, body: answer.body)
    }
    worker.touch(connection)
  }

  func refuse(
    _ refusal: DeviceRefusal, _ stream: HTTP2Stream, early: Bool = false, on connection: HTTPConnection
  ) {
    worker.counters.deviceRefused += 1
    worker.fields.startResponse(status: refusal.status)
    worker.fields.append(.contentType, "application/json")
    if let allow = refusal.allow { worker.fields.append("allow", Array(allow.utf8)) }
    if let wait = refusal.retryAfter { worker.fields.append(.retryAfter, integer: wait) }
    if let challenge = refusal.challenge { worker.fields.append("www-authenticate", challenge) }
    if early {
      connection.http2.respondEarly(to: stream, worker.fields, body: refusal.body)
    } else {
      connection.http2.respond(to: stream, worker.fields, body: refusal.body)
    }
    worker.touch(connection)
  }
}
