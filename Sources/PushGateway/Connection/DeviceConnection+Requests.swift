import GatewayCore
import GatewayIO
import HTTPMessage
import TokenStore

/// The device listener's requests: path, method, query and credential are read here, all else is the ledger's.
extension DeviceConnection {
  /// The answer comes from the ledger, unless the request cannot be read.
  func pass(_ stream: HTTP2Stream, _ body: DeviceCall.Body, on connection: HTTPConnection) {
    worker.counters.deviceRequests += 1
    do throws(DeviceRefusal) {
      guard worker.ledger.hasRoom else { throw DeviceRefusal(.storeUnavailable, retryAfter: 1) }
      worker.ledger.tell(.device(try call(stream, body, on: connection)))
    } catch {
      var isEarly = false
      if case .tooLong = body { isEarly = true }
      refuse(error, stream, early: isEarly, on: connection)
    }
  }

  private func call(
    _ stream: HTTP2Stream, _ body: DeviceCall.Body, on connection: HTTPConnection
  ) throws(DeviceRefusal) -> DeviceCall {
    guard !stream.headers.isOverLimit else { throw DeviceRefusal(.headersTooLarge) }
    let method = stream.headers.value(of: .method) ?? []
    let target = stream.headers.value(of: .path) ?? []
    let route = try method.withBytes { (method) throws(DeviceRefusal) in
      try target.withBytes { (target) throws(DeviceRefusal) in try DeviceRoute.parse(method: method, target: target) }
    }
    let key = try BearerCredential.extract(from: stream.headers)
    let caller: DeviceCall.Caller
    switch route.credential {
    case .enrolmentKey:
      guard let scope = worker.credentials.scope(ofEnrolmentKey: key) else { throw DeviceRefusal(.badCredential) }
      caller = .enrolling(scope, host: connection.peer.host)
    case .deviceKey(let id):
      caller = .device(id, keyHash: SHA256Digest.of(try DeviceKey(key).bytes).bytes)
    }
    return DeviceCall(
      place: connection.place(of: stream.id), route: route, caller: caller, body: body,
      lastEventID: stream.headers.value(of: .lastEventID))
  }
}
