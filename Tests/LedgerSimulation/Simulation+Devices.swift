import BudgetThrottle
import GatewayCore
import SeededRandom
import TokenStore

/// What devices do.
extension Simulation {
  func enrol() -> Effect {
    guard book.endpoints.count < 5 else { return Effect() }
    let id = DeviceID(CanonicalUUID(high: 1, low: nextDevice))
    nextDevice += 1
    let platform: Platform = random.oneIn(3) ? .watchOS : .iOS
    let device = ledger.enrol(
      id: id, keyHash: [UInt8](repeating: 9, count: 32), platform: platform, os: "26",
      scope: DeviceScope(keyFingerprint: 1, bundleIDs: [], environments: GatewayEnvironment.allCases), at: now)
    book.endpoints[id] = Book.Endpoint(platform: platform)
    if random.oneIn(3) { ledger.rotateKey(of: device, to: [UInt8](repeating: 8, count: 32)) }
    tell("enrol \(name(id))")
    return Effect()
  }

  func name(_ id: DeviceID) -> String { "device \(id.uuid.low)" }

  private func anyWidgets(from old: [Widget]) -> [Widget] {
    var widgets = old.shuffled(using: &random)
    if random.oneIn(2) { widgets = Array(widgets.dropFirst(Int.random(in: 0...2, using: &random))) }
    while widgets.count < 5, random.oneIn(3) || widgets.isEmpty && !random.oneIn(4) {
      widgets.append(
        Widget(
          kind: Self.kinds.randomElement(using: &random) ?? "cup",
          family: random.oneIn(4) ? .accessoryCircular : .systemSmall, configuration: random.oneIn(3) ? "decaf" : nil))
    }
    return widgets
  }

  func register() throws -> Effect {
    guard let id = anyDevice(), let app = Self.apps.randomElement(using: &random) else { return Effect() }
    let known = book.account(of: app, on: id)
    let environment: GatewayEnvironment =
      known.map { random.oneIn(6) ? .production : $0.account.environment }
      ?? (random.oneIn(3) ? .production : .development)
    let named = random.oneIn(3) ? Self.tokens.randomElement(using: &random) : nil
    guard let fresh = DeviceToken(bytes: withUnsafeBytes(of: random.next().bigEndian) { Array($0) }) else {
      return Effect()
    }
    let change = Ledger.RegistrationChange(
      bundleID: app, environment: environment, token: named, freshToken: fresh,
      widgets: anyWidgets(from: known?.account.widgets ?? []))
    let wanted = named ?? known?.account.token
    let isFree = wanted.map { book.isFree($0, in: environment, for: id, app: app, at: now) } ?? false
    tell("register \(app) of \(name(id)) for \(environment) with \(change.widgets.map(\.kind))")
    do {
      let registration = try ledger.register(change, for: device(id), at: now, wall: wall)
      try hold(named == nil || isFree, .token, "a token of another device was given away")
      try hold(registration.token == (isFree ? wanted : fresh), .token, "another token than was asked for")
      var account =
        known?.account
        ?? Book.Account(device: id, app: app, environment: environment, token: registration.token, widgets: [])
      if let known {
        try hold(known.id == registration.id, .durable, "a registration became another one")
        if account.isActive, account.token != registration.token || account.environment != environment {
          book.retire(account, until: now.advanced(byMilliseconds: plain.rules.retention))
        }
      }
      account.environment = environment
      account.token = registration.token
      account.isActive = true
      account.widgets = change.widgets
      book.accounts[registration.id] = account
      book.retired[RetiredToken.Key(token: account.token, environment: environment)] = nil
      promises.replaceList(of: registration.id)
      count(known == nil ? "registered" : "replaced")
      return Effect(replaced: [registration.id])
    } catch let refusal as Ledger.RegistrationRefusal {
      try hold(refusal == .tokenInUse && named != nil && !isFree, .token, "a registration was refused: \(refusal)")
      count("token in use")
      return Effect()
    }
  }

  func removeApp() throws -> Effect {
    guard let id = anyAccount(), var account = book.accounts[id] else { return Effect() }
    tell("remove \(account.app) from \(name(account.device))")
    ledger.remove(try registration(id), at: now, wall: wall)
    book.retire(account, until: now.advanced(byMilliseconds: plain.rules.retention))
    account.isActive = false
    account.widgets = []
    book.accounts[id] = account
    promises.replaceList(of: id)
    count("removed")
    return Effect(replaced: [id])
  }

  func leave() throws -> Effect {
    guard book.endpoints.count > 2, let id = anyDevice() else { return Effect() }
    tell("\(name(id)) leaves for good")
    ledger.leave(try device(id), at: now, wall: wall)
    var effect = Effect()
    for (key, account) in book.accounts where account.device == id {
      if account.isActive { book.retire(account, until: now.advanced(byMilliseconds: plain.rules.retention)) }
      book.forget(key)
      promises.replaceList(of: key)
      effect.gone.insert(key)
    }
    book.endpoints[id] = nil
    book.grants[.device(id)] = nil
    book.charges = book.charges.filter { $0.key.device != id }
    count("left")
    return effect
  }

  func attach() throws -> Effect {
    guard let id = anyDevice() else { return Effect() }
    return try attach(id, last: random.oneIn(2) ? lastSeen[id] : nil)
  }

  func attach(_ id: DeviceID, last: EventID?) throws -> Effect {
    guard var endpoint = book.endpoints[id] else { return Effect() }
    let session = SessionID(rawValue: nextSession)
    nextSession += 1
    let attached = ledger.attachedCount
    let isSecond = endpoint.session != nil
    if isSecond { count("second stream") }
    endpoint.end()
    endpoint.session = session
    endpoint.isEmpty = true
    book.endpoints[id] = endpoint
    tell("\(name(id)) opens a stream\(last.map { ", last event \($0)" } ?? "")")
    ledger.attach(try device(id), as: session, last: last, at: now)
    try hold(ledger.attachedCount == attached + (isSecond ? 0 : 1), .delivery, "attached devices were miscounted")
    count("attached")
    return Effect(receipt: last.map { (id, $0) }, attached: id)
  }

  func detach() throws -> Effect {
    guard let id = anyDevice(), let session = book.endpoints[id]?.session else { return Effect() }
    if random.oneIn(4) {
      tell("a stream of \(name(id)) ends that was replaced before")
      ledger.detach(try device(id), session: SessionID(rawValue: session.rawValue + 1_000_000))
    } else {
      tell("\(name(id)) loses its stream")
      ledger.detach(try device(id), session: session)
      book.endpoints[id]?.end()
    }
    return Effect()
  }

  /// The stream has taken what it was given, which it can once that has left.
  func emptyOutput() throws -> Effect {
    guard let id = anyDevice() else { return Effect() }
    return try emptyOutput(of: id)
  }

  func emptyOutput(of id: DeviceID) throws -> Effect {
    guard let endpoint = book.endpoints[id], let session = endpoint.session, owed[session] == nil else {
      return Effect()
    }
    tell("the stream of \(name(id)) has taken all")
    book.endpoints[id]?.isEmpty = true
    ledger.outputEmptied(session, of: try device(id), at: now)
    return Effect()
  }

  func sendReceipt() throws -> Effect {
    guard let id = anyDevice(), let seen = lastSeen[id] else { return Effect() }
    var upTo = seen
    switch Int.random(in: 0..<8, using: &random) {
    case 0: upTo.sequence = UInt64.random(in: 0...seen.sequence, using: &random)
    case 1: upTo.epoch -= 1
    case 2: upTo = EventID(epoch: ledger.epoch, sequence: ledger.nextSequence)
    case 3: upTo.epoch = ledger.epoch + 1
    default: break
    }
    // A device may have seen what a backup that was restored since never sent.
    let isFuture = upTo >= EventID(epoch: ledger.epoch, sequence: ledger.nextSequence)
    tell("receipt of \(name(id)) up to \(upTo)")
    let isTaken = ledger.receive(upTo, from: try device(id), at: now)
    try hold(isTaken == !isFuture, .flight, "a receipt from the future, or one that is none, was taken for the other")
    if isFuture { return Effect() }
    count("receipt")
    if upTo.epoch != ledger.epoch { count("old receipt") }
    return Effect(receipt: (id, upTo))
  }

  func say() throws -> Effect {
    guard let id = anyDevice() else { return Effect() }
    var said = Ledger.DeviceSays()
    if random.oneIn(2) { said.foreground = .some(random.oneIn(3) ? Self.apps.randomElement(using: &random) : nil) }
    if random.oneIn(3) {
      said.session = .some(
        random.oneIn(3)
          ? Self.apps.first.map { DeviceState.AppSession(app: $0, kind: random.oneIn(2) ? .audio : .navigation) } : nil)
    }
    if !random.oneIn(3) { said.isAsleep = !random.oneIn(5) }
    if book.endpoints[id]?.session != nil {
      if let foreground = said.foreground { book.endpoints[id]?.foreground = foreground }
      if let session = said.session { book.endpoints[id]?.appSession = session }
      if let isAsleep = said.isAsleep { book.endpoints[id]?.isAsleep = isAsleep }
    }
    tell(
      "\(name(id)) says foreground \(said.foreground as Any), session \(said.session as Any), asleep \(said.isAsleep as Any)"
    )
    ledger.heard(said, from: try device(id), at: now)
    return Effect()
  }
}
