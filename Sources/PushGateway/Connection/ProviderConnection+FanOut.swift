import GatewayCore
import GatewayIO
import HTTPMessage
import TokenStore

/// Fan-outs: begun, looked at, watched and cancelled on the provider listener, under the credential of a push.
extension ProviderConnection {
  /// What was judged before the body.
  enum FanOutHead {
    case begin(BundleID, FanOutHeadValidator.Head)
    case about(FanOutCall.Wish)
  }

  func judgeFanOut(_ stream: HTTP2Stream, on connection: HTTPConnection) throws(Refusal) -> FanOutHead {
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
    case .report(let id): return try about(.report(id), stream, on: connection)
    case .watch(let id): return try about(.watch(id), stream, on: connection)
    case .cancel(let id): return try about(.cancel(id), stream, on: connection)
    }
  }

  private func about(
    _ wish: FanOutCall.Wish, _ stream: HTTP2Stream, on connection: HTTPConnection
  ) throws(Refusal) -> FanOutHead {
    _ = try authenticate(stream, on: connection)
    return .about(wish)
  }

  /// A stream on which a client watches a fan-out.
  struct Watch {
    let stream: Int32
    /// It has not taken what was written last.
    var isUnread = false
  }

  /// The answer comes from the ledger.
  func serveFanOut(_ stream: HTTP2Stream, on connection: HTTPConnection) throws(Refusal) {
    let wish: FanOutCall.Wish
    switch try judgeFanOut(stream, on: connection) {
    case .begin(let bundleID, let head): wish = .begin(try order(bundleID, head, stream))
    case .about(let other): wish = other
    }
    guard worker.ledger.isOpen else { throw .storeUnavailable }
    worker.ledger.tell(
      .fanOut(
        FanOutCall(
          place: connection.place(of: stream.id), wish: wish, team: session.team, environment: environment)))
  }

  private func order(
    _ bundleID: BundleID, _ head: FanOutHeadValidator.Head, _ stream: HTTP2Stream
  ) throws(Refusal) -> FanOutOrder {
    let request = try stream.body.withBytes { (body) throws(Refusal) in
      try FanOutRequest.parse(body, validator: worker.pushValidator.payload)
    }
    if let objection = request.objection { worker.noteLenient(objection, bundleID) }
    guard let team = session.team else {
      throw Refusal(.missingProviderToken, "A fan-out belongs to a team; show a provider token.")
    }
    return FanOutOrder(
      team: team, bundleID: bundleID, environment: environment,
      push: IncomingPush(
        id: head.id ?? worker.makePushID(), payload: request.payload, storage: storage(for: head.expiration),
        priority: head.priority), filter: request.filter)
  }

  // MARK: Watching

  func watcherOpened(_ stream: HTTP2Stream, on connection: HTTPConnection) {
    guard farewell == nil else {
      worker.ledger.tell(.watcherEnded(connection.place(of: stream.id)))
      return connection.http2.reset(stream, code: .refusedStream)
    }
    worker.fields.startResponse(status: 200)
    worker.fields.append(.contentType, "text/event-stream")
    worker.fields.append("cache-control", "no-store")
    connection.http2.openStream(stream, worker.fields)
    watchers.append(Watch(stream: stream.id))
  }

  /// The ledger has more to tell once the reader has taken what there was.
  func tellOfEmptied(on connection: HTTPConnection) {
    for index in watchers.indices where watchers[index].isUnread {
      guard let stream = connection.http2.stream(watchers[index].stream), connection.http2.isOutputEmpty(of: stream)
      else { continue }
      watchers[index].isUnread = false
      worker.ledger.tell(.watcherEmptied(connection.place(of: stream.id)))
    }
  }

  func watcherEnded(_ stream: HTTP2Stream, on connection: HTTPConnection) {
    guard let index = watchers.firstIndex(where: { $0.stream == stream.id }) else { return }
    watchers.remove(at: index)
    worker.ledger.tell(.watcherEnded(connection.place(of: stream.id)))
  }

  func endWatching(on connection: HTTPConnection) {
    let ended = watchers
    watchers = []
    for watcher in ended {
      worker.ledger.tell(.watcherEnded(connection.place(of: watcher.stream)))
      if let stream = connection.http2.stream(watcher.stream) { connection.http2.endStream(stream) }
    }
  }

  // MARK: Answers

  func deny(_ answer: PendingOutput.Answer, on connection: HTTPConnection) {
    guard let stream = connection.http2.stream(answer.place.stream), case .fanOut(let id, _) = answer.part else {
      return
    }
    respond(.storeUnavailable, to: stream, id: id, on: connection)
  }

  func confirm(_ answer: PendingOutput.Answer, on connection: HTTPConnection) {
    guard let stream = connection.http2.stream(answer.place.stream) else { return }
    switch answer.part {
    case .event(let isLast):
      guard let index = watchers.firstIndex(where: { $0.stream == stream.id }) else { return }
      connection.http2.write(answer.body, to: stream)
      watchers[index].isUnread = true
      if isLast {
        watchers.remove(at: index)
        connection.http2.endStream(stream)
      }
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
