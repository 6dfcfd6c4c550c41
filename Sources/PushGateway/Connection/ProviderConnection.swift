import BudgetThrottle
import GatewayCore
import GatewayIO
import HTTPMessage
import TokenStore

/// A provider's connection: requests in, answers out, as APNs gives them.
final class ProviderConnection: ConnectionListener {
  let environment: GatewayEnvironment
  /// Its place among the configured ones.
  let listener: Int
  let worker: LoopWorker
  let session = ProviderSession()
  /// Whose authorities found the client's certificate good; nil without one.
  var judgedBy: TLSContext?
  private var hasRaisedStreams = false
  /// Streams on which fan-outs are watched.
  var watchers: [Watch] = []
  /// Errors that are still borne.
  var allowance: RefusalAllowance
  /// What is left to do once the end of the connection is decided.
  var farewell: Farewell?

  init(environment: GatewayEnvironment, listener: Int, worker: LoopWorker) {
    self.environment = environment
    self.listener = listener
    self.worker = worker
    allowance = RefusalAllowance(perMinute: worker.configuration.limits.errorsPerMinute, at: worker.now)
  }

  func happened(_ event: HTTP2Event, on connection: HTTPConnection) {
    switch event {
    case .requestEnded(let stream): judge(stream, on: connection)
    case .bodyExceededLimit(let stream): bodyExceededLimit(of: stream, on: connection)
    case .streamClosed(let stream, _): if !watchers.isEmpty { watcherEnded(stream, on: connection) }
    case .pingAcknowledged: farewell?.pingAcknowledged(at: worker.loop.now.bootMilliseconds)
    default: break
    }
  }

  /// A push that was begun and not ended in all that time is as good as none.
  var isHoldingStream: Bool { !watchers.isEmpty }
  func outputFlushed(on connection: HTTPConnection) { if !watchers.isEmpty { tellOfEmptied(on: connection) } }
  func closed(_ connection: HTTPConnection) {
    for watcher in watchers { worker.ledger.tell(.watcherEnded(connection.place(of: watcher.stream))) }
    watchers = []
    worker.providerCount -= 1
  }

  // MARK: Requests

  private func judge(_ stream: HTTP2Stream, on connection: HTTPConnection) {
    defer { connection.http2.releaseRequest(of: stream) }
    guard !stream.isAnswered else { return }
    do throws(Refusal) {
      try requireWholeHeaders(of: stream)
      if isFanOut(stream) {
        return try serveFanOut(stream, on: connection)
      }
      let head = try judgeHead(of: stream, on: connection)
      let validator = worker.pushValidator
      let (token, payload) = try validator.complete(head, payload: stream.bodyBytes)
      if let objection = payload.objection { worker.noteLenient(objection.detail, head.bundleID) }
      try accept(head, token, payload, stream, on: connection)
    } catch {
      refuse(error, stream, on: connection)
    }
  }

  /// Of a list beyond the limit only the beginning is known.
  private func requireWholeHeaders(of stream: HTTP2Stream) throws(Refusal) {
    guard stream.headers.isOverLimit else { return }
    let limit = worker.configuration.limits.headerListBytes
    throw Refusal(
      .payloadTooLarge, "Send shorter headers: they have more than \(limit) bytes, counted as name, value and 32 each.")
  }

  private func judgeHead(of stream: HTTP2Stream, on connection: HTTPConnection) throws(Refusal) -> PushHead {
    let (worker, validator) = (worker, worker.pushValidator)
    defer { raiseStreamsOnceAuthenticated(on: connection) }
    return try validator.head.validate(stream.headers, topics: &worker.topics) { () throws(Refusal) in
      try authenticate(stream, on: connection)
    }
  }

  func authenticate(_ stream: HTTP2Stream, on connection: HTTPConnection) throws(Refusal) -> TopicGrant {
    try examineCertificateAfterReload(on: connection)
    let time = worker.loop.now
    return try worker.credentials.authenticate(
      stream.headers, in: environment, session: session, wall: UnixTime(milliseconds: time.wallMilliseconds),
      now: worker.clock.time(time))
  }

  /// Apple: one stream until the first valid provider token, whatever else is wrong with that request. With a certificate
  /// there are all from the start (apns-contract §1.2).
  func raiseStreamsOnceAuthenticated(fromTheStart: Bool = false, on connection: HTTPConnection) {
    guard !hasRaisedStreams, session.isAuthenticated else { return }
    hasRaisedStreams = true
    connection.http2.requestMemory = LoopWorker.providersRequestMemory
    connection.http2.raiseAnnouncedStreams(to: worker.configuration.limits.streams, fromTheStart: fromTheStart)
  }

  /// The only answer that does not wait for the request's end. What is wrong with the head is wrong first, and said at
  /// the end as ever.
  private func bodyExceededLimit(of stream: HTTP2Stream, on connection: HTTPConnection) {
    var tooLarge = Refusal(PayloadFault.tooLarge.reason, PayloadFault.tooLarge.detail)
    do throws(Refusal) {
      try requireWholeHeaders(of: stream)
      if isFanOut(stream) {
        _ = try judgeFanOut(stream, on: connection)
        tooLarge = FanOutRequest.tooLarge
      } else {
        _ = try judgeHead(of: stream, on: connection)
      }
    } catch {
      return
    }
    respond(tooLarge, to: stream, early: true, on: connection)
  }

  private func accept(
    _ head: PushHead, _ token: DeviceToken, _ payload: PayloadAcceptance, _ stream: HTTP2Stream,
    on connection: HTTPConnection
  ) throws(Refusal) {
    guard worker.ledger.isOpen else { throw .storeUnavailable }
    worker.ledger.accept(
      PushCall(
        place: connection.place(of: stream.id),
        push: IncomingPush(
          id: head.id ?? worker.makePushID(), payload: payload.isUsual ? nil : stream.body,
          storage: storage(for: head.expiration), priority: head.priority),
        token: token, environment: environment, bundleID: head.bundleID))
  }

  private func isFanOut(_ stream: HTTP2Stream) -> Bool {
    stream.headers.withValue(of: .path) { FanOutRoute.isOne($0) } ?? false
  }

  func storage(for expiration: PushExpiration) -> IncomingPush.Storage {
    switch expiration {
    case .none: .until(.distantFuture)
    case .neverStored: .once
    case .date(let date): .until(LedgerClock.ledger(date, at: worker.now, wall: worker.wall))
    }
  }

  // MARK: Answers

  /// 200: the push is durable.
  func confirm(_ answer: PendingOutput.PushAnswer, with fields: inout OutgoingFields, on connection: HTTPConnection) {
    guard let stream = connection.http2.stream(answer.place.stream) else { return }
    fields.startResponse(status: 200)
    fields.append(answer.id.uuid, as: .apnsID)
    if environment == .development { fields.append(worker.uniqueID(of: answer.number), as: .apnsUniqueID) }
    // Nearly the same for all while no budget is to be waited for, and then worth a place in the HPACK table.
    fields.open(.gatewayRefresh, indexed: answer.tally.retry == nil)
    fields.write(ascii: "sent=")
    fields.write(integer: answer.tally.sent)
    fields.write(ascii: ", deferred=")
    fields.write(integer: answer.tally.deferred)
    fields.write(ascii: ", dropped=")
    fields.write(integer: answer.tally.dropped)
    if let retry = answer.tally.retry {
      fields.write(ascii: ", retry=")
      fields.write(integer: retry)
    }
    connection.http2.respond(to: stream, fields)
  }

  /// So many pushes were accepted.
  func refund(_ count: Int) { allowance.refund(count) }

  private func refuse(_ refusal: Refusal, _ stream: HTTP2Stream, on connection: HTTPConnection) {
    respond(refusal, to: stream, on: connection)
    // It has expired, or its authority has gone: no later request can be better.
    if refusal.reason == .badCertificate || refusal.reason == .badCertificateEnvironment {
      leave(refusal, on: connection)
    }
  }

  /// - Parameter given: the push's id where it has one already; else the client's, or a new one.
  func respond(
    _ refusal: Refusal, to stream: HTTP2Stream, id given: PushID? = nil, early: Bool = false,
    exhaustion: PushVerdict.Exhaustion? = nil,
    on connection: HTTPConnection
  ) {
    worker.refusals.record(
      refusal, of: stream, session: session, environment: environment, on: connection, at: worker.now, to: worker.log)
    worker.fields.startResponse(status: refusal.reason.status)
    worker.fields.append(.contentType, "application/json")
    let own = given?.uuid ?? stream.headers.withValue(of: .apnsID) { CanonicalUUID($0) } ?? nil
    let id = own ?? worker.makePushID().uuid
    worker.fields.append(id, as: .apnsID)
    // What explain tells are pushes and their checks.
    if !isFanOut(stream) {
      worker.note(
        refusal, id: PushID(id), of: stream.headers, in: environment, isAuthenticated: session.isAuthenticated,
        isOverBudget: exhaustion != nil)
    }
    if let wait = refusal.retryAfter { worker.fields.append(.retryAfter, integer: wait, indexed: false) }
    if let exhaustion {
      worker.fields.append("ratelimit-limit", integer: exhaustion.limit, indexed: false)
      worker.fields.append("ratelimit-remaining", integer: exhaustion.remaining, indexed: false)
      worker.fields.append("ratelimit-reset", integer: exhaustion.reset, indexed: false)
    }
    refusal.writeBody(into: &worker.scratch)
    if early {
      connection.http2.respondEarly(to: stream, worker.fields, body: worker.scratch)
    } else {
      connection.http2.respond(to: stream, worker.fields, body: worker.scratch)
    }
    worker.touch(connection)
    count(refusal.reason, on: connection)
  }

  func count(_ reason: RejectionReason, on connection: HTTPConnection) {
    worker.counters.count(reason)
    if !allowance.spend(reason, at: worker.now) { hadTooManyErrors(reason, on: connection) }
  }
}

extension OutgoingFields {
  /// Never indexed: no value comes twice.
  mutating func append(_ uuid: CanonicalUUID, as name: FieldName) {
    withUnsafeTemporaryAllocation(byteCount: CanonicalUUID.textCount, alignment: 1) { text in
      uuid.write(to: text)
      append(name, UnsafeRawBufferPointer(text), indexed: false)
    }
  }
}

extension [UInt8] {
  /// `withUnsafeBytes` that keeps the type of what is thrown.
  func withBytes<Value, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    let result = withUnsafeBytes { bytes in
      Result { () throws(Failure) in try body(bytes) }
    }
    return try result.get()
  }
}
