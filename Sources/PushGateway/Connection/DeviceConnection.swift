import GatewayCore
import GatewayIO
import HTTPMessage
import TokenStore

/// A device's connection: its requests, and the one stream on which it hears of refreshes.
final class DeviceConnection: ConnectionListener {
  /// The update stream that this connection holds open, for one device.
  struct Updates {
    var session: SessionID
    var device: DeviceState
    var stream: Int32
    /// Something was written that the reader has not taken yet. Neither the head of the answer counts nor a heartbeat
    /// that an event has overtaken on its way to its commit: what they leave empty says nothing of the event.
    var isUnread = false
    /// Something was written since the last tick, so no heartbeat is owed.
    var wasActive = false
  }

  let worker: LoopWorker
  private var updates: [Updates] = []
  private var awaitsPing = false

  init(worker: LoopWorker) { self.worker = worker }

  func happened(_ event: HTTP2Event, on connection: HTTPConnection) {
    switch event {
    case .requestEnded(let stream):
      defer { connection.http2.releaseRequest(of: stream) }
      guard !stream.isAnswered else { return }
      worker.counters.deviceRequests += 1
      do throws(DeviceRefusal) {
        try serve(stream, on: connection)
      } catch {
        refuse(error, stream, on: connection)
      }
    case .bodyExceededLimit(let stream):
      refuse(refusalOfLongBody(stream), stream, early: true, on: connection)
    case .streamClosed(let stream, _):
      endUpdates(where: { $0.stream == stream.id })
    case .pingAcknowledged: awaitsPing = false
    default: break
    }
  }

  func outputFlushed(on connection: HTTPConnection) {
    for place in updates.indices where updates[place].isUnread {
      guard let stream = connection.http2.stream(updates[place].stream), connection.http2.isOutputEmpty(of: stream)
      else { continue }
      updates[place].isUnread = false
      worker.ledger.outputEmptied(updates[place].session, of: updates[place].device, at: worker.now)
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
        if worker.ledger.outputFilled(updates[place].session, of: updates[place].device) {
          updates[place].isUnread = true
        }
      }
      updates[place].wasActive = false
    }
  }

  var isHoldingStream: Bool { !updates.isEmpty }

  func idled(on connection: HTTPConnection) { connection.http2.goAway() }

  func drainBegan(on connection: HTTPConnection) {
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

  func open(_ device: DeviceState, last: EventID?, _ stream: HTTP2Stream, on connection: HTTPConnection) {
    let session = worker.makeSession(on: connection.id)
    updates.append(Updates(session: session, device: device, stream: stream.id))
    worker.fields.startResponse(status: 200)
    worker.fields.append(.contentType, "text/event-stream")
    worker.fields.append("cache-control", "no-store")
    connection.http2.openStream(stream, worker.fields)
    worker.touch(connection)
    worker.ledger.attach(device, as: session, last: last, at: worker.now)
  }

  /// One event goes out: its batch is durable.
  func write(_ refresh: Delivery.Refresh, on connection: HTTPConnection) {
    guard let place = updates.firstIndex(where: { $0.session == refresh.session }),
      let stream = connection.http2.stream(updates[place].stream)
    else { return }
    updates[place].wasActive = true
    updates[place].isUnread = true
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
    for update in updates where isEnding(update) {
      worker.ledger.noteContact(with: update.device, at: worker.now)
      worker.ledger.detach(update.device, session: update.session)
      worker.forget(update.session)
    }
    updates.removeAll(where: isEnding)
  }

  // MARK: Answers

  /// Answers once everything decided so far is durable.
  func answer(
    _ status: Int, _ body: [UInt8], _ stream: HTTP2Stream, on connection: HTTPConnection
  ) {
    worker.commits.current.answers.append(
      PendingOutput.Answer(
        connection: connection.id, stream: stream.id, status: status, body: body))
  }

  func deny(_ answer: PendingOutput.Answer, on connection: HTTPConnection) {
    guard let stream = connection.http2.stream(answer.stream) else { return }
    refuse(DeviceRefusal(.storeUnavailable, retryAfter: 1), stream, on: connection)
  }

  func confirm(_ answer: PendingOutput.Answer, on connection: HTTPConnection) {
    guard let stream = connection.http2.stream(answer.stream) else { return }
    worker.fields.startResponse(status: answer.status)
    if answer.body.isEmpty {
      connection.http2.respond(to: stream, worker.fields)
    } else {
      worker.fields.append(.contentType, "application/json")
      connection.http2.respond(to: stream, worker.fields, body: answer.body)
    }
    worker.touch(connection)
  }

  private func refuse(
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
