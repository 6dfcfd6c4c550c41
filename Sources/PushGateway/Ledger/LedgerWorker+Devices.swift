import BudgetThrottle
import GatewayCore
import GatewayIO
import TokenStore

/// Requests of devices (design §5). What changes something is answered after the commit.
extension LedgerWorker {
  func serve(_ call: DeviceCall) {
    do throws(DeviceRefusal) {
      switch call.caller {
      case .enrolling(let scope, let host): try enrol(in: scope, from: host, call)
      case .device(let id, let keyHash): try serve(call, of: try authenticated(id, keyHash))
      }
    } catch {
      loops.tell(.deviceRefused(call.place, error, isEarly: call.isTooLong))
    }
  }

  /// An unknown device, a wrong key and another device's key get one answer, and the same work is done for each.
  private func authenticated(_ id: DeviceID, _ keyHash: [UInt8]) throws(DeviceRefusal) -> DeviceState {
    let device = ledger.devices[id]
    guard constantTimeEqual(keyHash, device?.keyHash ?? nobodysKeyHash), let device else {
      throw DeviceRefusal(.badCredential)
    }
    ledger.noteContact(with: device, at: now)
    return device
  }

  private func enrol(in scope: DeviceScope, from host: String, _ call: DeviceCall) throws(DeviceRefusal) {
    let request = try EnrolmentRequest.parse(try call.wholeBody())
    try requireStore()
    try enrolments.admit(
      in: scope, from: host, enrolled: ledger.deviceCount(ofKey: scope.keyFingerprint), at: now)
    let secret = DeviceKey(randomBytes: SecureRandom.bytes(DeviceKey.count))
    let id = DeviceID(makeUUID())
    _ = ledger.enrol(
      id: id, keyHash: SHA256Digest.of(secret.bytes).bytes, platform: request.platform, os: request.os.description,
      scope: scope, at: now)
    answer(201, EnrolmentAnswer(device: id, key: secret).body, call)
  }

  private func serve(_ call: DeviceCall, of device: DeviceState) throws(DeviceRefusal) {
    let body = try call.wholeBody()
    switch call.route {
    case .enrol: throw DeviceRefusal(.notFound)
    case .leave:
      try requireStore()
      ledger.leave(device, at: now, wall: wall)
      answer(204, [], call)
    case .rotateKey:
      try requireStore()
      let secret = DeviceKey(randomBytes: SecureRandom.bytes(DeviceKey.count))
      ledger.rotateKey(of: device, to: SHA256Digest.of(secret.bytes).bytes)
      answer(200, EnrolmentAnswer(device: device.id, key: secret).body, call)
    case .register(_, let app): try register(app, on: device, body, call)
    case .removeApp(_, let app):
      try requireStore()
      if let registration = ledger.registration(of: app, on: device) {
        ledger.remove(registration, at: now, wall: wall)
      }
      answer(204, [], call)
    case .updates: open(device, last: try call.lastEvent(), at: call.place)
    case .receipts:
      let receipt = try ReceiptRequest.parse(body)
      try requireStore()
      guard ledger.receive(receipt.upTo, from: device, at: now) else {
        throw DeviceRefusal(.receiptFromTheFuture)
      }
      answer(204, [], call)
    case .state: try change(device, body, call)
    case .explain(_, let last):
      try requireStore()
      try explain(device, last: last, at: call.place)
    }
  }

  /// Answers once everything decided so far is durable.
  private func answer(_ status: Int, _ body: [UInt8], _ call: DeviceCall) {
    commits.current.answers.append(PendingOutput.Answer(place: call.place, status: status, body: body))
  }

  private func register(
    _ app: BundleID, on device: DeviceState, _ body: [UInt8], _ call: DeviceCall
  ) throws(DeviceRefusal) {
    guard let os = OSVersion(device.os) else { throw DeviceRefusal(.badOSVersion) }
    let request = try RegistrationRequest.parse(body, platform: device.platform, os: os)
    if let refusal = device.scope.refusal(of: app, in: request.environment) { throw refusal }
    try requireStore()
    guard let fresh = DeviceToken(bytes: SecureRandom.bytes(32)) else { throw DeviceRefusal(.badToken) }
    let registration: RegistrationState
    do throws(Ledger.RegistrationRefusal) {
      registration = try ledger.register(
        Ledger.RegistrationChange(
          bundleID: app, environment: request.environment, token: request.token, freshToken: fresh,
          widgets: request.widgets), for: device, at: now, wall: wall)
    } catch {
      throw DeviceRefusal(registering: error)
    }
    answer(200, ledger.answer(for: registration, at: reading).body, call)
  }

  private func change(_ device: DeviceState, _ body: [UInt8], _ call: DeviceCall) throws(DeviceRefusal) {
    let request = try DeviceStateRequest.parse(body)
    let subject = DeveloperModeSubject.device(device.id)
    try requireStore()
    // A device says it with each stream; what stands already is no news to the audit.
    if let wanted = request.developerMode, wanted != ledger.developerMode.isStanding(subject, at: now) {
      if wanted { try switchDeveloperModeOn(device) } else { switchDeveloperModeOff(device) }
    }
    ledger.heard(request.said, from: device, at: now)
    answer(200, ledger.stateAnswer(for: device, at: reading).body, call)
  }

  /// Off is never refused, and there is no off without an on.
  private func switchDeveloperModeOff(_ device: DeviceState) {
    _ = ledger.endDeveloperMode(
      of: .device(device.id), who: "device \(device.id)", why: "switched off on the device", by: .deviceSwitch,
      at: now, wall: wall)
  }

  private func switchDeveloperModeOn(_ device: DeviceState) throws(DeviceRefusal) {
    do throws(Ledger.DeveloperModeRefusal) {
      try ledger.switchDeveloperModeOn(device, at: now, wall: wall)
    } catch {
      throw DeviceRefusal(developerMode: error)
    }
  }

  private func requireStore() throws(DeviceRefusal) {
    guard isStoreReady else { throw DeviceRefusal(.storeUnavailable, retryAfter: 1) }
  }
}

extension DeviceCall {
  fileprivate var isTooLong: Bool { if case .tooLong = body { true } else { false } }

  fileprivate func wholeBody() throws(DeviceRefusal) -> [UInt8] {
    guard case .whole(let bytes) = body else { throw DeviceRefusal(.bodyTooLarge) }
    return bytes
  }

  /// What the device says it has, in `last-event-id`.
  fileprivate func lastEvent() throws(DeviceRefusal) -> EventID? {
    guard let lastEventID else { return nil }
    return try lastEventID.withBytes { (bytes) throws(DeviceRefusal) in
      try ReceiptRequest.parse(lastEventID: bytes)
    }?.upTo
  }
}
