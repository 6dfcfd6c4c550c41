import GatewayCore
import GatewayIO
import HTTPMessage
import TokenStore

/// Fan-outs: begun, looked at, watched and cancelled on the provider listener, under the credential of a push.
extension ProviderConnection {
  /// What one connection may watch at a time.
  private static let maximumWatchers = 16

  /// What was judged before the body.
  enum FanOutCall {
    case begin(BundleID, FanOutHeadValidator.Head)
    case report(FanOut)
    case watch(FanOut)
    case cancel(FanOut)
  }

  func judgeFanOut(_ stream: HTTP2Stream, on connection: HTTPConnection) throws(Refusal) -> FanOutCall {
    let method = stream.headers.value(of: .method) ?? []
    let path = stream.headers.value(of: .path) ?? []
    let route = try method.withBytes { (method) throws(Refusal) in
      try path.withBytes { (path) throws(Refusal) in try FanOutRoute.parse(method: method, path: path) }
    }
    defer { raiseStreamsOnceAuthenticated(on: connection) }
    switch route {
    case .begin(let bundleID):
      let head = try FanOutHeadValidator().validate(stream.headers, bundleID: bundleID, topics: &worker.topics) {
        () throws(Refusal) in try authenticate(stream, on: connection)
      }
      return .begin(bundleID, head)
    case .report(let id): return .report(try find(id, for: stream, on: connection))
    case .watch(let id): return .watch(try find(id, for: stream, on: connection))
    case .cancel(let id): return .cancel(try find(id, for: stream, on: connection))
    }
  }

  /// Another team's is as good as none.
  private func find(
    _ id: CanonicalUUID, for stream: HTTP2Stream, on connection: HTTPConnection
  ) throws(Refusal) -> FanOut {
    _ = try authenticate(stream, on: connection)
    guard let fanOut = worker.ledger.fanOuts.find(id), fanOut.order.team == session.team,
      fanOut.order.environment == environment
    else { throw Refusal(.badPath, "This team has no such fan-out here, or it was long ago.") }
    return fanOut
  }

  func serveFanOut(_ stream: HTTP2Stream, on connection: HTTPConnection) throws(Refusal) {
    switch try judgeFanOut(stream, on: connection) {
    case .begin(let bundleID, let head): try begin(bundleID, head, stream, on: connection)
    case .report(let fanOut):
      try requireStore()
      answer(200, fanOut, isRead: true, stream, on: connection)
    case .watch(let fanOut): try watch(fanOut, stream, on: connection)
    case .cancel(let fanOut):
      try requireStore()
      worker.ledger.cancel(fanOut)
      answer(200, fanOut, stream, on: connection)
    }
  }

  private func begin(
    _ bundleID: BundleID, _ head: FanOutHeadValidator.Head, _ stream: HTTP2Stream, on connection: HTTPConnection
  ) throws(Refusal) {
    let request = try stream.body.withBytes { (body) throws(Refusal) in
      try FanOutRequest.parse(body, validator: worker.pushValidator.payload)
    }
    if let objection = request.objection { worker.noteLenient(objection, bundleID) }
    guard let team = session.team else {
      throw Refusal(.missingProviderToken, "A fan-out belongs to a team; show a provider token.")
    }
    try requireStore()
    let order = FanOutOrder(
      team: team, bundleID: bundleID, environment: environment,
      push: IncomingPush(
        id: head.id ?? worker.makePushID(), payload: request.payload, storage: storage(for: head.expiration),
        priority: head.priority), filter: request.filter)
    switch worker.ledger.begin(order, id: worker.makeFanOutID(), at: worker.now) {
    case .accepted(let fanOut), .known(let fanOut): answer(202, fanOut, stream, on: connection)
    case .tooMany:
      throw Refusal(
        .tooManyRequests, "\(FanOutTable.capacity) fan-outs are running; wait until one ends.", retryAfter: 1)
    }
  }

  private func requireStore() throws(Refusal) {
    guard worker.isStoreReady else { throw .storeUnavailable }
  }

  // MARK: Watching

  private func watch(_ fanOut: FanOut, _ stream: HTTP2Stream, on connection: HTTPConnection) throws(Refusal) {
    guard watchers.count < Self.maximumWatchers else {
      throw Refusal(
        .tooManyRequests, "One connection watches at most \(Self.maximumWatchers) fan-outs.", retryAfter: 1)
    }
    worker.fields.startResponse(status: 200)
    worker.fields.append(.contentType, "text/event-stream")
    worker.fields.append("cache-control", "no-store")
    connection.http2.openStream(stream, worker.fields)
    watchers.append(FanOutWatcher(stream: stream.id, fanOut: fanOut))
    if tellWatchers(on: connection) { worker.watch(on: connection.id) }
    worker.touch(connection)
  }

  /// Tells each watcher what is new; with the end of its fan-out its stream ends.
  /// - Returns: whether anybody is left.
  func tellWatchers(on connection: HTTPConnection) -> Bool {
    for place in watchers.indices where watchers[place].hasNews {
      let fanOut = watchers[place].fanOut
      guard let stream = connection.http2.stream(watchers[place].stream), connection.http2.isOutputEmpty(of: stream)
      else { continue }
      watchers[place].told = (fanOut.state, fanOut.counts)
      worker.commits.current.answers.append(
        PendingOutput.Answer(
          connection: connection.id, stream: stream.id, status: 200, body: FanOutAnswer.event(of: fanOut),
          part: .event(isLast: fanOut.state != .running)))
    }
    watchers.removeAll { $0.told.map { $0.state != .running } ?? false }
    return !watchers.isEmpty
  }

  func endWatching(on connection: HTTPConnection) {
    for watcher in watchers {
      if let stream = connection.http2.stream(watcher.stream) { connection.http2.endStream(stream) }
    }
    watchers = []
  }

  // MARK: Answers

  private func answer(
    _ status: Int, _ fanOut: FanOut, isRead: Bool = false, _ stream: HTTP2Stream, on connection: HTTPConnection
  ) {
    worker.commits.current.answers.append(
      PendingOutput.Answer(
        connection: connection.id, stream: stream.id, status: status, body: FanOutAnswer.body(of: fanOut),
        part: .fanOut(fanOut.order.push.id, location: status == 202 ? FanOutAnswer.path(of: fanOut) : nil),
        isRead: isRead))
  }

  func deny(_ answer: PendingOutput.Answer, on connection: HTTPConnection) {
    guard let stream = connection.http2.stream(answer.stream), case .fanOut(let id, _) = answer.part else { return }
    respond(.storeUnavailable, to: stream, id: id, on: connection)
  }

  func confirm(_ answer: PendingOutput.Answer, on connection: HTTPConnection) {
    guard let stream = connection.http2.stream(answer.stream) else { return }
    switch answer.part {
    case .event(let isLast):
      connection.http2.write(answer.body, to: stream)
      if isLast { connection.http2.endStream(stream) }
    case .fanOut(let id, let location):
      worker.fields.startResponse(status: answer.status)
      worker.fields.append(.contentType, "application/json")
      worker.fields.append(id.uuid, as: .apnsID)
      if let location { worker.fields.append("location", Array(location.utf8)) }
      connection.http2.respond(to: stream, worker.fields, body: answer.body)
    case .whole: preconditionFailure("A provider's whole answers are of pushes and fan-outs.")
    }
    worker.touch(connection)
  }
}
