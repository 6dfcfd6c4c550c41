import BudgetThrottle
@testable import GatewayCore
import SeededRandom
import Testing
import TokenStore

extension LedgerSimulation {
  /// What a step may change; everything else must stay as it was.
  struct Effect {
    /// Registrations whose list of widgets was replaced.
    var replaced: Set<UInt64> = []
    var gone: Set<UInt64> = []
    var reset: Set<UInt64> = []
    /// Budgets may go over to other policies.
    var changesPolicies = false
    var pushed: (registration: UInt64, push: IncomingPush, verdict: PushVerdict)?
    var receipt: (device: DeviceID, upTo: EventID)?
    var attached: DeviceID?
    var emptied: DeviceID?
  }

  func play(steps: Int) throws {
    for _ in 0..<steps { try step() }
    try settle()
    checkSpending()
  }

  private func step() throws {
    let before = snapshot()
    let effect = try perform()
    try check(effect, since: before)
    if random.oneIn(3) { try commit() }
  }

  private func perform() throws -> Effect {
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<4: return enrol()
    case 4..<16: return try register()
    case 16..<18: return try removeApp()
    case 18..<19: return try leave()
    case 19..<27: return try attach()
    case 27..<30: return try detach()
    case 30..<42: return try outputEmptied()
    case 42..<50: return try receipt()
    case 50..<74: return push()
    case 74..<78: return wake()
    case 78..<80: return sweep()
    case 80..<82: return changeRules()
    case 82..<84: return try developerMode()
    case 84..<88: return try say()
    case 88..<89: return tidy()
    case 89..<90: return try resetBudgets()
    case 90..<91: return try restart()
    default: return passTime()
    }
  }

  // MARK: Devices

  private func enrol() -> Effect {
    guard endpoints.count < 5 else { return Effect() }
    let id = DeviceID(CanonicalUUID(high: 1, low: nextDevice))
    nextDevice += 1
    let device = ledger.enrol(
      id: id, keyHash: [UInt8](repeating: 9, count: 32), platform: .iOS, os: "26",
      scope: DeviceScope(keyFingerprint: 1, bundleIDs: [], environments: GatewayEnvironment.allCases))
    endpoints[id] = Endpoint()
    if random.oneIn(3) { ledger.rotateKey(of: device, to: [UInt8](repeating: 8, count: 32)) }
    return Effect()
  }

  private func anyDevice() -> DeviceID? {
    endpoints.keys.sorted { $0.uuid.low < $1.uuid.low }.randomElement(using: &random)
  }

  private func anyAccount() -> UInt64? {
    accounts.keys.filter { accounts[$0]?.isActive == true }.sorted().randomElement(using: &random)
  }

  private func anyWidgets(from old: [Widget]) -> [Widget] {
    var widgets = old.shuffled(using: &random)
    if random.oneIn(2) { widgets = Array(widgets.dropFirst(Int.random(in: 0...2, using: &random))) }
    while widgets.count < 6, random.oneIn(2) || widgets.isEmpty && !random.oneIn(4) {
      let kind = Self.kinds.randomElement(using: &random) ?? "cup"
      widgets.append(
        Widget(
          kind: kind, family: random.oneIn(4) ? .systemLarge : .systemSmall,
          configuration: random.oneIn(3) ? "decaf" : nil))
    }
    return widgets
  }

  private func register() throws -> Effect {
    guard let id = anyDevice(), let app = Self.apps.randomElement(using: &random) else { return Effect() }
    let known = accounts.first { $0.value.device == id && $0.value.app == app }
    let environment: GatewayEnvironment =
      known.map { random.oneIn(6) ? .production : $0.value.environment }
      ?? (random.oneIn(3) ? .production : .development)
    let named = random.oneIn(3) ? Self.tokens.randomElement(using: &random) : nil
    let fresh = try #require(DeviceToken(bytes: withUnsafeBytes(of: random.next().bigEndian) { Array($0) }))
    let change = Ledger.RegistrationChange(
      bundleID: app, environment: environment, token: named, freshToken: fresh,
      widgets: anyWidgets(from: known?.value.widgets ?? []))
    let holder = { [self] (token: DeviceToken) -> Bool in
      if let other = accounts.first(where: {
        $0.value.isActive && $0.value.token == token && $0.value.environment == environment
      }) {
        return other.value.device == id && other.value.app == app
      }
      guard let old = retired[TokenKey(token: token, environment: environment)], old.forgotten > now else {
        return true
      }
      return old.device == id && old.app == app
    }
    let wanted = named ?? known?.value.token
    do {
      let registration = try ledger.register(change, for: device(id), at: now, wall: wall)
      if let named { #expect(holder(named), "a token of another device was given away") }
      let isKept = wanted.map(holder) ?? false
      #expect(registration.token == (isKept ? wanted : fresh))
      var account =
        known?.value
        ?? Account(device: id, app: app, environment: environment, token: registration.token, widgets: [])
      if known != nil { #expect(known?.key == registration.id) }
      if account.isActive, known != nil, account.token != registration.token || account.environment != environment {
        retire(account)
      }
      account.environment = environment
      account.token = registration.token
      account.isActive = true
      account.widgets = change.widgets
      accounts[registration.id] = account
      retired[TokenKey(token: account.token, environment: environment)] = nil
      noteBounds()
      count(known == nil ? "registered" : "replaced")
      return Effect(replaced: [registration.id], changesPolicies: ledger.isSweeping)
    } catch Ledger.RegistrationRefusal.tokenInUse {
      #expect(wanted.map { !holder($0) } ?? false)
      count("token in use")
      return Effect()
    }
  }

  private func retire(_ account: Account) {
    retired[TokenKey(token: account.token, environment: account.environment)] = (
      account.device, account.app, now.advanced(byMilliseconds: ledger.rules.retention)
    )
  }

  private func removeApp() throws -> Effect {
    guard let id = anyAccount(), var account = accounts[id] else { return Effect() }
    ledger.remove(try registration(id), at: now, wall: wall)
    retire(account)
    account.isActive = false
    account.widgets = []
    accounts[id] = account
    count("removed")
    return Effect(replaced: [id], changesPolicies: ledger.isSweeping)
  }

  private func leave() throws -> Effect {
    guard endpoints.count > 2, let id = anyDevice() else { return Effect() }
    ledger.leave(try device(id), at: now, wall: wall)
    var effect = Effect()
    for (key, account) in accounts where account.device == id {
      if account.isActive { retire(account) }
      accounts[key] = nil
      effect.gone.insert(key)
    }
    endpoints[id] = nil
    grants[.device(id)] = nil
    spendings = spendings.filter { $0.key.device != id }
    count("left")
    return effect
  }

  private func attach() throws -> Effect {
    guard let id = anyDevice() else { return Effect() }
    let session = SessionID(rawValue: nextSession)
    nextSession += 1
    let last = random.oneIn(2) ? endpoints[id]?.lastSeen : nil
    let isAccepted = ledger.attachedCount
    if endpoints[id]?.session != nil { count("second stream") }
    let seen = endpoints[id]?.lastSeen
    let before = endpoints[id]?.session == nil ? 1 : 0
    endpoints[id] = Endpoint(session: session, isEmpty: true, lastSeen: seen)
    ledger.attach(try device(id), as: session, last: last, at: now)
    #expect(ledger.attachedCount == isAccepted + before)
    count("attached")
    return Effect(
      changesPolicies: ledger.isSweeping, receipt: last.map { (id, $0) }, attached: id)
  }

  private func detach() throws -> Effect {
    guard let id = anyDevice(), let session = endpoints[id]?.session else { return Effect() }
    if random.oneIn(4) {
      // A stream that has already been replaced: nothing happens.
      ledger.detach(try device(id), session: SessionID(rawValue: session.rawValue + 1000))
    } else {
      ledger.detach(try device(id), session: session)
      endpoints[id] = Endpoint(lastSeen: endpoints[id]?.lastSeen)
    }
    return Effect()
  }

  private func outputEmptied() throws -> Effect {
    guard let id = anyDevice(), let session = endpoints[id]?.session else { return Effect() }
    let wasEmpty = endpoints[id]?.isEmpty == true
    endpoints[id]?.isEmpty = true
    ledger.outputEmptied(session, of: try device(id), at: now)
    return Effect(changesPolicies: ledger.isSweeping, emptied: wasEmpty ? nil : id)
  }

  private func receipt() throws -> Effect {
    guard let id = anyDevice(), let seen = endpoints[id]?.lastSeen else { return Effect() }
    var upTo = seen
    var isFuture = false
    switch Int.random(in: 0..<8, using: &random) {
    case 0: upTo.sequence = UInt64.random(in: 0...seen.sequence, using: &random)
    case 1: upTo.epoch -= 1
    case 2:
      upTo = EventID(epoch: ledger.epoch, sequence: ledger.nextSequence)
      isFuture = true
    case 3:
      upTo.epoch = ledger.epoch + 1
      isFuture = true
    default: break
    }
    #expect(ledger.receive(upTo, from: try device(id), at: now) == !isFuture)
    if isFuture { return Effect() }
    count("receipt")
    return Effect(receipt: (id, upTo))
  }

  private func say() throws -> Effect {
    guard let id = anyDevice() else { return Effect() }
    var said = Ledger.DeviceSays()
    if random.oneIn(2) { said.foreground = .some(random.oneIn(2) ? Self.apps.randomElement(using: &random) : nil) }
    if random.oneIn(3) {
      said.session = .some(
        random.oneIn(2) ? Self.apps.first.map { DeviceState.AppSession(app: $0, kind: .audio) } : nil)
    }
    if !random.oneIn(3) { said.isAsleep = !random.oneIn(5) }
    if endpoints[id]?.session != nil {
      if let foreground = said.foreground { endpoints[id]?.foreground = foreground }
      if let session = said.session { endpoints[id]?.appSession = session }
      if let isAsleep = said.isAsleep { endpoints[id]?.isAsleep = isAsleep }
    }
    ledger.heard(said, from: try device(id), at: now)
    return Effect(changesPolicies: ledger.isSweeping)
  }

  // MARK: Pushes

  private func push() -> Effect {
    var storage = IncomingPush.Storage.until(.distantFuture)
    switch Int.random(in: 0..<6, using: &random) {
    case 0: storage = .once
    case 1: storage = .until(now.advanced(byMilliseconds: -5))
    case 2: storage = .until(now.advanced(byMilliseconds: .random(in: 1...90_000_000, using: &random)))
    default: break
    }
    var id = PushID(CanonicalUUID(high: 5, low: nextPush, isUpperCase: random.oneIn(2)))
    nextPush += 1
    if random.oneIn(6), let old = recentIDs.suffix(24).randomElement(using: &random) { id = old }
    let push = IncomingPush(
      id: id, payload: random.oneIn(3) ? [UInt8](repeating: 0x7B, count: Int.random(in: 1...40, using: &random)) : nil,
      storage: storage, priority: RefreshPriority.allCases.randomElement(using: &random) ?? .immediate)
    recentIDs.append(id)

    let target = anyAccount().flatMap { key in accounts[key].map { (key, $0) } }
    if random.oneIn(8) || target == nil { return strayPush(push) }
    guard let (key, account) = target else { return Effect() }
    if random.oneIn(12), let other = Self.apps.first(where: { $0 != account.app }) {
      #expect(
        ledger.accept(push, for: account.token, in: account.environment, bundleID: other, at: now)
          == .tokenForOtherTopic)
      return Effect()
    }
    let verdict = ledger.accept(
      push, for: account.token, in: account.environment, bundleID: account.app, at: now)
    checkVerdict(verdict, of: push, to: account)
    guard case .accepted = verdict else { return Effect(changesPolicies: ledger.isSweeping) }
    accounts[key]?.accepted = (account.accepted + [id]).suffix(8)
    return Effect(changesPolicies: ledger.isSweeping, pushed: (key, push, verdict))
  }

  /// To a token that may be nobody's.
  private func strayPush(_ push: IncomingPush) -> Effect {
    guard let token = Self.tokens.randomElement(using: &random), let app = Self.apps.first else { return Effect() }
    let environment: GatewayEnvironment = random.oneIn(2) ? .production : .development
    guard !accounts.values.contains(where: { $0.isActive && $0.token == token && $0.environment == environment })
    else { return Effect() }
    let old = retired[TokenKey(token: token, environment: environment)].map { $0.forgotten > now } ?? false
    switch ledger.accept(push, for: token, in: environment, bundleID: app, at: now) {
    case .unregistered: #expect(old)
    case .unknownToken: #expect(!old)
    case let other: Issue.record("a token of nobody was answered \(other)")
    }
    count(old ? "unregistered" : "unknown token")
    return Effect()
  }

  // MARK: Time and operators

  private func passTime() -> Effect {
    let steps: [Int64] = [0, 1, 500, 2000, 60_000, 300_000, 3_600_000, 20 * 3_600_000, 86_400_000, 86_400_001]
    var next = now.advanced(byMilliseconds: steps.randomElement(using: &random) ?? 0)
    if random.oneIn(2), let wake = ledger.nextWake { next = max(now, wake) }
    now = next
    return Effect()
  }

  private func wake() -> Effect {
    while ledger.wake(at: now, limit: 3) {}
    return Effect(changesPolicies: ledger.isSweeping)
  }

  private func sweep() -> Effect {
    let isOn = ledger.isSweeping
    _ = ledger.sweep(at: now, limit: 2)
    return Effect(changesPolicies: isOn)
  }

  private func changeRules() -> Effect {
    ledger.change(anyRules(), at: now)
    noteBounds()
    if random.oneIn(2) { while ledger.sweep(at: now, limit: 2) {} }
    count("rules changed")
    return Effect(changesPolicies: true)
  }

  private func developerMode() throws -> Effect {
    guard let id = anyDevice(), let app = Self.apps.randomElement(using: &random) else { return Effect() }
    let subject: DeveloperModeSubject = random.oneIn(2) ? .device(id) : .app(app)
    let isOn = ledger.isSweeping
    if random.oneIn(3) {
      let stood = (grants[subject] ?? .distantPast) > now
      #expect(
        ledger.endDeveloperMode(of: subject, who: "ann", why: "", by: .operatorRequest(uid: 7), at: now, wall: wall)
          == stood)
      grants[subject] = nil
    } else if ledger.rules.developerMode.allowed {
      let duration = Int64.random(in: 1...28_800_000, using: &random)
      // The account first: the grant hands over what waited for it.
      grants[subject] = now.advanced(byMilliseconds: duration)
      try ledger.grantDeveloperMode(
        to: subject, for: duration, who: "ann", why: "tries", granter: .operatorRequest(uid: 7), at: now, wall: wall)
      while random.oneIn(2), ledger.sweep(at: now, limit: 2) {}
      count("developer mode")
    }
    return Effect(changesPolicies: isOn)
  }

  private func tidy() -> Effect {
    ledger.tidy(at: now, wall: wall)
    while ledger.tidyMore(at: now) {}
    grants = grants.filter { $0.value > now }
    retired = retired.filter { $0.value.forgotten > now }
    var effect = Effect(changesPolicies: ledger.isSweeping)
    for (key, account) in accounts where !account.isActive && !ledger.registrations.contains(where: { $0.id == key }) {
      accounts[key] = nil
      effect.gone.insert(key)
      count("forgotten app")
    }
    return effect
  }

  private func resetBudgets() throws -> Effect {
    guard let id = anyAccount(), let account = accounts[id] else { return Effect() }
    ledger.resetBudgets(of: try registration(id), who: "ann", uid: 7, at: now, wall: wall)
    for group in spendings.keys where group.device == account.device && group.app == account.app {
      spendings[group]?.charges = []
    }
    return Effect(reset: [id], changesPolicies: ledger.isSweeping)
  }

  /// The process ends between two commits, and another one starts from the store.
  private func restart() throws -> Effect {
    guard !ledger.isSweeping else { return Effect() }
    try commit()
    ledger = try store.restored(
      rules: ledger.rules, epoch: ledger.epoch + 1, at: now, journalTarget: journalTarget)
    for id in endpoints.keys { endpoints[id] = Endpoint(lastSeen: endpoints[id]?.lastSeen) }
    count("restarted")
    return Effect()
  }

  /// Lets everything that waits for nothing but time go, and compares once more.
  private func settle() throws {
    let before = snapshot()
    while ledger.sweep(at: now) {}
    while ledger.wake(at: now) {}
    try check(Effect(changesPolicies: true), since: before)
    try checkNobodyIsLeftWaiting()
    try commit()
    try checkReplay()
  }
}
