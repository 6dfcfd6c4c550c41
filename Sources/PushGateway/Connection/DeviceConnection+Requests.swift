import BudgetThrottle
import GatewayCore
import GatewayIO
import HTTPMessage
import TokenStore

/// The device listener's requests (design §5). What changes something is answered after the commit.
extension DeviceConnection {
  private enum Caller {
    case enrolling(DeviceScope)
    case device(DeviceState)
  }

  /// Path, method and query, then the credential: what is judged before the body.
  private func admit(_ stream: HTTP2Stream) throws(DeviceRefusal) -> (route: DeviceRoute, caller: Caller) {
    guard !stream.headers.isOverLimit else { throw DeviceRefusal(.headersTooLarge) }
    let method = stream.headers.value(of: .method) ?? []
    let target = stream.headers.value(of: .path) ?? []
    let parsed = method.withUnsafeBytes { method in
      target.withUnsafeBytes { target in
        Result { () throws(DeviceRefusal) in try DeviceRoute.parse(method: method, target: target) }
      }
    }
    let route = try parsed.get()
    let key = try BearerCredential.extract(from: stream.headers)
    switch route.credential {
    case .enrolmentKey:
      guard let scope = worker.credentials.scope(ofEnrolmentKey: key) else { throw DeviceRefusal(.badCredential) }
      return (route, .enrolling(scope))
    case .deviceKey(let id): return (route, .device(try authenticated(id, key)))
    }
  }

  func serve(_ stream: HTTP2Stream, on connection: HTTPConnection) throws(DeviceRefusal) {
    let (route, caller) = try admit(stream)
    switch caller {
    case .enrolling(let scope): try enrol(in: scope, stream, on: connection)
    case .device(let device): try serve(route, of: device, stream, on: connection)
    }
  }

  /// The body is longer than any request's. Who may not ask at all is told that first.
  func refusalOfLongBody(_ stream: HTTP2Stream) -> DeviceRefusal {
    do throws(DeviceRefusal) {
      _ = try admit(stream)
      return DeviceRefusal(.bodyTooLarge)
    } catch {
      return error
    }
  }

  /// An unknown device, a wrong key and another device's key get one answer, and the same work is done for each.
  private func authenticated(_ id: DeviceID, _ credential: Secret<[UInt8]>) throws(DeviceRefusal) -> DeviceState {
    let key = try DeviceKey(credential)
    let device = worker.ledger.devices[id]
    let expected = device?.keyHash ?? worker.nobodysKeyHash
    guard constantTimeEqual(SHA256Digest.of(key.bytes).bytes, expected), let device else {
      throw DeviceRefusal(.badCredential)
    }
    worker.ledger.noteContact(with: device, at: worker.now)
    return device
  }

  private func enrol(
    in scope: DeviceScope, _ stream: HTTP2Stream, on connection: HTTPConnection
  ) throws(DeviceRefusal) {
    let request = try EnrolmentRequest.parse(stream.body)
    try requireStore()
    try worker.credentials.admitEnrolment(
      in: scope, from: connection.peer.host, enrolled: worker.ledger.deviceCount(ofKey: scope.keyFingerprint),
      now: worker.now)
    let secret = DeviceKey(randomBytes: SecureRandom.bytes(DeviceKey.count))
    let id = DeviceID(
      CanonicalUUID(randomHigh: worker.random.next(), randomLow: worker.random.next(), isUpperCase: false))
    _ = worker.ledger.enrol(
      id: id, keyHash: SHA256Digest.of(secret.bytes).bytes, platform: request.platform, os: request.os.description,
      scope: scope, at: worker.now)
    answer(201, EnrolmentAnswer(device: id, key: secret).body, stream, on: connection)
  }

  private func serve(
    _ route: DeviceRoute, of device: DeviceState, _ stream: HTTP2Stream, on connection: HTTPConnection
  ) throws(DeviceRefusal) {
    switch route {
    case .enrol: throw DeviceRefusal(.notFound)
    case .leave:
      try requireStore()
      worker.ledger.leave(device, at: worker.now, wall: worker.wall)
      answer(204, [], stream, on: connection)
    case .rotateKey:
      try requireStore()
      let secret = DeviceKey(randomBytes: SecureRandom.bytes(DeviceKey.count))
      worker.ledger.rotateKey(of: device, to: SHA256Digest.of(secret.bytes).bytes)
      answer(200, EnrolmentAnswer(device: device.id, key: secret).body, stream, on: connection)
    case .register(_, let app): try register(app, on: device, stream, connection)
    case .removeApp(_, let app):
      try requireStore()
      if let registration = worker.ledger.registration(of: app, on: device) {
        worker.ledger.remove(registration, at: worker.now, wall: worker.wall)
      }
      answer(204, [], stream, on: connection)
    case .updates:
      let last = try stream.headers.value(of: .lastEventID).map { (bytes) throws(DeviceRefusal) in
        let parsed = bytes.withUnsafeBytes { bytes in
          Result { () throws(DeviceRefusal) in try ReceiptRequest.parse(lastEventID: bytes) }
        }
        return try parsed.get()
      }
      open(device, last: last??.upTo, stream, on: connection)
    case .receipts:
      let receipt = try ReceiptRequest.parse(stream.body)
      try requireStore()
      guard worker.ledger.receive(receipt.upTo, from: device, at: worker.now) else {
        throw DeviceRefusal(.receiptFromTheFuture)
      }
      answer(204, [], stream, on: connection)
    case .state: try change(device, stream, connection)
    case .explain(_, let last):
      try requireStore()
      try worker.explain(device, last: last, stream: stream, on: connection)
    }
  }

  private func register(
    _ app: BundleID, on device: DeviceState, _ stream: HTTP2Stream, _ connection: HTTPConnection
  ) throws(DeviceRefusal) {
    guard let os = OSVersion(device.os) else { throw DeviceRefusal(.badOSVersion) }
    let request = try RegistrationRequest.parse(stream.body, platform: device.platform, os: os)
    if let refusal = device.scope.refusal(of: app, in: request.environment) { throw refusal }
    try requireStore()
    guard let fresh = DeviceToken(bytes: SecureRandom.bytes(32)) else { throw DeviceRefusal(.badToken) }
    let registration: RegistrationState
    do throws(Ledger.RegistrationRefusal) {
      registration = try worker.ledger.register(
        Ledger.RegistrationChange(
          bundleID: app, environment: request.environment, token: request.token, freshToken: fresh,
          widgets: request.widgets), for: device, at: worker.now, wall: worker.wall)
    } catch {
      throw DeviceRefusal(registering: error)
    }
    answer(200, worker.ledger.answer(for: registration, at: worker.reading).body, stream, on: connection)
  }

  private func change(
    _ device: DeviceState, _ stream: HTTP2Stream, _ connection: HTTPConnection
  ) throws(DeviceRefusal) {
    let request = try DeviceStateRequest.parse(stream.body)
    let subject = DeveloperModeSubject.device(device.id)
    try requireStore()
    // A device says it with each stream; what stands already is no news to the audit.
    if let wanted = request.developerMode, wanted != worker.ledger.developerMode.isStanding(subject, at: worker.now) {
      if wanted { try switchDeveloperModeOn(device) } else { switchDeveloperModeOff(device) }
    }
    worker.ledger.heard(request.said, from: device, at: worker.now)
    answer(200, worker.ledger.stateAnswer(for: device, at: worker.reading).body, stream, on: connection)
  }

  /// Off is never refused, and there is no off without an on.
  private func switchDeveloperModeOff(_ device: DeviceState) {
    _ = worker.ledger.endDeveloperMode(
      of: .device(device.id), who: "device \(device.id)", why: "switched off on the device", by: .deviceSwitch,
      at: worker.now, wall: worker.wall)
  }

  private func switchDeveloperModeOn(_ device: DeviceState) throws(DeviceRefusal) {
    do throws(Ledger.DeveloperModeRefusal) {
      try worker.ledger.switchDeveloperModeOn(device, at: worker.now, wall: worker.wall)
    } catch {
      throw DeviceRefusal(developerMode: error)
    }
  }

  private func requireStore() throws(DeviceRefusal) {
    guard worker.isStoreReady else { throw DeviceRefusal(.storeUnavailable, retryAfter: 1) }
  }
}
