import GatewayCore
import GatewayIO

/// What the ledger has decided goes to the connections that wait for it, or nowhere if they are gone.
extension LoopWorker {
  func take(_ output: LoopOutput) {
    for reply in output.replies { hear(reply) }
    if !output.pushes.isEmpty { confirm(output.pushes) }
    for answer in output.answers { confirm(answer) }
    for (connection, delivery) in output.deliveries { deliver(delivery, over: connection) }
  }

  func hear(_ reply: LoopReply) {
    let connection = connections[reply.connection]
    switch reply {
    case .pushRefused(let place, let id, let refusal, let exhaustion):
      guard let connection, case .provider(let provider) = connection.role else {
        return counters.count(refusal.reason)
      }
      // A client that takes its requests back is held to the same number of errors as one that reads the answers.
      guard let stream = connection.http2.stream(place.stream) else {
        return provider.count(refusal.reason, on: connection)
      }
      provider.respond(refusal, to: stream, id: id, exhaustion: exhaustion, on: connection)
    case .deviceRefused(let place, let refusal, let isEarly):
      guard let connection, case .device(let device) = connection.role,
        let stream = connection.http2.stream(place.stream)
      else { return }
      device.refuse(refusal, stream, early: isEarly, on: connection)
    case .answerDenied(let answer):
      guard let connection else { return }
      connection.role.listener.deny(answer, on: connection)
    case .streamOpened(let place, let session):
      // One that is on its end has told of the ends of its streams already.
      guard let connection, connection.isOpen, case .device(let device) = connection.role,
        let stream = connection.http2.stream(place.stream)
      else { return ledger.tell(.streamEnded(session)) }
      device.opened(session, stream, on: connection)
      touch(connection)
    case .watcherOpened(let place):
      guard let connection, connection.isOpen, case .provider(let provider) = connection.role,
        let stream = connection.http2.stream(place.stream)
      else { return ledger.tell(.watcherEnded(place)) }
      provider.watcherOpened(stream, on: connection)
      touch(connection)
    }
  }

  /// 200: these pushes are durable. Those of one connection come together, and their answers leave while they are in the
  /// processor's cache.
  func confirm(_ pushes: [PendingOutput.PushAnswer]) {
    var start = 0
    while start < pushes.count {
      let id = pushes[start].place.connection
      var end = start + 1
      while end < pushes.count, pushes[end].place.connection == id { end += 1 }
      if let connection = connections[id], case .provider(let provider) = connection.role {
        confirm(pushes[start..<end], of: provider, on: connection)
        connection.flush()
      }
      start = end
    }
  }

  private func confirm(
    _ pushes: ArraySlice<PendingOutput.PushAnswer>, of provider: ProviderConnection, on connection: HTTPConnection
  ) {
    // Taken out for the length of the loop: each access to a property of a class is checked for overlaps.
    var fields = OutgoingFields.none
    swap(&fields, &self.fields)
    for answer in pushes { provider.confirm(answer, with: &fields, on: connection) }
    provider.refund(pushes.count)
    swap(&fields, &self.fields)
  }

  func confirm(_ answer: PendingOutput.Answer) {
    guard let connection = connections[answer.place.connection] else { return }
    connection.role.listener.confirm(answer, on: connection)
  }

  func deliver(_ delivery: Delivery, over id: ConnectionID) {
    guard let connection = connections[id], case .device(let device) = connection.role else { return }
    switch delivery {
    case .refresh(let refresh): device.write(refresh, on: connection)
    case .endStream(let ended): device.end(ended, on: connection)
    }
  }
}
