package import BudgetThrottle
package import TokenStore

extension Ledger {
  /// What a device registers for one app: the whole state, in place of what was.
  package struct RegistrationChange: Sendable {
    package var bundleID: BundleID
    package var environment: GatewayEnvironment
    /// nil keeps the token, or takes `freshToken`.
    package var token: DeviceToken?
    package var freshToken: DeviceToken
    package var widgets: [Widget]

    package init(
      bundleID: BundleID, environment: GatewayEnvironment, token: DeviceToken?, freshToken: DeviceToken,
      widgets: [Widget]
    ) {
      self.bundleID = bundleID
      self.environment = environment
      self.token = token
      self.freshToken = freshToken
      self.widgets = widgets
    }
  }

  package enum RegistrationRefusal: Error, Equatable, Sendable {
    /// Another device, or another app of this one, has this token or had it not long ago.
    case tokenInUse
    case tooManyApps(limit: Int)
    case tooManyWidgets(limit: Int)
  }

  package static let maximumAppsPerDevice = 64
  /// Budgets of removed widgets that one registration remembers at most; beyond that the fullest goes first.
  static let maximumLeftCells = 512

  // MARK: Devices

  package func enrol(
    id: DeviceID, keyHash: [UInt8], platform: Platform, os: String, scope: DeviceScope, at now: LedgerTime
  ) -> DeviceState {
    let device = DeviceState(
      number: nextDeviceNumber, id: id, keyHash: keyHash,
      model: intern(DeviceModel(platform: platform, os: os, scope: scope)))
    nextDeviceNumber += 1
    device.lastSeen = now
    adopt(device)
    write(device)
    return device
  }

  package func deviceCount(ofKey fingerprint: UInt64) -> Int { devicesByKey[fingerprint] ?? 0 }

  package func rotateKey(of device: DeviceState, to keyHash: [UInt8]) {
    device.keyHash = keyHash
    write(device)
  }

  /// The device leaves for good: its stream ends, its tokens answer 410, its budgets are forgotten with it.
  package func leave(_ device: DeviceState, at now: LedgerTime, wall: UnixTime) {
    if case .attached(let session, _) = device.link {
      pendingDeliveries.append(.endStream(session))
      detach(device, session: session)
    }
    for registration in device.registrations {
      if registration.isActive { retire(registration, at: now, wall: wall) }
      noteRemoved(WidgetSet(first: registration.accounts.count), of: registration, at: now)
      registration.isActive = false
      let before = FormerFace(registration)
      change(registration) { $0.replace([], [], naming: []) }
      noteChange(of: registration, from: before, at: now)
      batch.erase(registration)
      drop(registration)
    }
    device.registrations.removeAll()
    devices.remove(device)
    devicesByKey[device.scope.keyFingerprint, default: 1] -= 1
    if let grant = developerMode.grants[.device(device.id)]?.grant, let row = developerMode.remove(grant.subject) {
      batch.write(.developerMode, id: row, nil)
      note(.developerModeEnded, grant, who: grant.who, why: "the device left", wall: wall, until: nil)
    }
    batch.write(.device, id: device.number, nil)
  }

  // MARK: Registrations

  package func register(
    _ change: RegistrationChange, for device: DeviceState, at now: LedgerTime, wall: UnixTime
  ) throws(RegistrationRefusal) -> RegistrationState {
    guard change.widgets.count <= WidgetSet.capacity else { throw .tooManyWidgets(limit: WidgetSet.capacity) }
    let existing = device.registrations.first { $0.app.bundleID == change.bundleID }
    if existing == nil, device.registrations.count >= Self.maximumAppsPerDevice {
      throw .tooManyApps(limit: Self.maximumAppsPerDevice)
    }
    let token = try token(for: change, keeping: existing?.token, on: device, at: now)

    let registration: RegistrationState
    let before = existing.map { FormerFace($0) }
    if let existing {
      registration = existing
      refreshPolicies(of: existing, at: now)
      if existing.isActive {
        if existing.token != token || existing.environment != change.environment {
          retire(existing, at: now, wall: wall)
        } else {
          unlist(existing)
        }
      }
      existing.token = token
      existing.environment = change.environment
      existing.isActive = true
    } else {
      registration = RegistrationState(
        id: nextRegistrationID, app: app(change.bundleID), device: device, environment: change.environment,
        token: token)
      nextRegistrationID += 1
      registration.policyGeneration = policyGeneration
      adopt(registration)
    }
    forgetRetired(RetiredToken.Key(token: token, environment: change.environment))
    list(registration)
    replaceWidgets(of: registration, with: change.widgets, at: now)
    if let before { noteChange(of: registration, from: before, at: now) }
    batch.writeNow(registration)
    handOver(registration, at: now)
    return registration
  }

  /// The app was removed from its device: 410 from now on. Budgets wait for its return.
  package func remove(_ registration: RegistrationState, at now: LedgerTime, wall: UnixTime) {
    guard registration.isActive else { return }
    refreshPolicies(of: registration, at: now)
    let before = FormerFace(registration)
    retire(registration, at: now, wall: wall)
    replaceWidgets(of: registration, with: [], at: now)
    noteChange(of: registration, from: before, at: now)
    registration.isActive = false
    batch.writeNow(registration)
  }

  package func registration(of bundleID: BundleID, on device: DeviceState) -> RegistrationState? {
    device.registrations.first { $0.isActive && $0.app.bundleID == bundleID }
  }

  package func registration(for token: DeviceToken, in environment: GatewayEnvironment) -> RegistrationState? {
    index.find(token, in: environment)
  }

  /// The token that the device names; else the one that it has; else a fresh one, also where its old token, after a
  /// long absence of the app, has gone to somebody else.
  private func token(
    for change: RegistrationChange, keeping old: DeviceToken?, on device: DeviceState, at now: LedgerTime
  ) throws(RegistrationRefusal) -> DeviceToken {
    let candidates = change.token.map { [$0] } ?? [old, change.freshToken].compactMap { $0 }
    for token in candidates
    where isFree(token, in: change.environment, for: device.id, app: change.bundleID, at: now) {
      return token
    }
    throw .tokenInUse
  }

  func isFree(
    _ token: DeviceToken, in environment: GatewayEnvironment, for device: DeviceID, app: BundleID, at now: LedgerTime
  ) -> Bool {
    if let holder = index.find(token, in: environment) {
      return holder.device.id == device && holder.app.bundleID == app
    }
    guard let old = retired[RetiredToken.Key(token: token, environment: environment)], old.forgottenAt > now
    else { return true }
    return old.owner == device && old.bundleID == app
  }

  /// Takes the registration's token out of use; pushes to it are answered 410.
  private func retire(_ registration: RegistrationState, at now: LedgerTime, wall: UnixTime) {
    unlist(registration)
    let old = RetiredToken(
      token: registration.token, environment: registration.environment, bundleID: registration.app.bundleID,
      owner: registration.device.id, retiredAt: wall,
      forgottenAt: now.advanced(byMilliseconds: rules.retention))
    let (row, earlier) = retired.insert(old)
    if let earlier { batch.write(.retiredToken, id: earlier, nil) }
    batch.write(.retiredToken, id: row, old.encode())
    // Two for each that comes, so that what is over the bound shrinks.
    forgetRetired(at: now, limit: 2)
  }

  /// Devices that enrol and leave in a loop would fill memory for the retention: beyond as many as there are
  /// registrations the oldest are forgotten before their time.
  private var retiredRoom: Int { max(retiredAtLeast, registrations.count) }

  func forgetRetired(at now: LedgerTime, limit: Int) {
    for row in retired.forget(at: now, beyond: retiredRoom, limit: limit) { batch.write(.retiredToken, id: row, nil) }
  }

  func hasRetiredToForget(at now: LedgerTime) -> Bool { retired.isDue(at: now, beyond: retiredRoom) }

  private func forgetRetired(_ key: RetiredToken.Key) {
    guard let row = retired.remove(key) else { return }
    batch.write(.retiredToken, id: row, nil)
  }

  // MARK: Widgets

  /// The registration's cells are under the rules in force already.
  ///
  /// Equal widgets are matched in their order, which is what their ordinal means. What is new takes over a left
  /// budget of its kind and family, the emptiest first; only where none is left does it begin with a full one.
  private func replaceWidgets(of registration: RegistrationState, with widgets: [Widget], at now: LedgerTime) {
    let before = registration.states
    let contents = registration.contents
    var leaving: [Int] = Array(before.indices)
    var states: [WidgetState?] = []
    for widget in widgets {
      if let place = leaving.firstIndex(where: { registration.widgets[$0] == widget }) {
        states.append(before[leaving.remove(at: place)])
      } else {
        states.append(nil)
      }
    }
    for position in leaving { leave(position, of: registration, at: now) }
    registration.left.removeAll { $0.cell.isForgettable(at: now, under: policy($0.policy)) }
    let all = zip(widgets, states).map { widget, kept in
      if let kept { return kept }
      let index = policyIndex(kind: widget.kind, family: widget.family, of: registration)
      let cell = takeLeftCell(widget, of: registration, under: policy(index), at: now)
      return WidgetState(WidgetAccount(cell: cell, policy: index))
    }
    let shared = intern(widgets)
    change(registration) { $0.replace(shared, all, naming: contents) }
    while registration.left.count > Self.maximumLeftCells,
      let fullest = registration.left.indices.max(by: {
        level(of: registration.left[$0], at: now) < level(of: registration.left[$1], at: now)
      })
    {
      registration.left.remove(at: fullest)
    }
  }

  private func leave(_ position: Int, of registration: RegistrationState, at now: LedgerTime) {
    let (widget, account) = (registration.widgets[position], registration.accounts[position])
    registration.left.append(
      LeftCell(kind: widget.kind, family: widget.family, cell: account.cell, policy: account.policy))
    noteRemoved(WidgetSet(only: position), of: registration, at: now)
  }

  private func noteRemoved(_ widgets: WidgetSet, of registration: RegistrationState, at now: LedgerTime) {
    for push in registration.standing {
      guard case .marks(let mark) = push.role else { continue }
      let group = push.widgets.intersection(widgets)
      guard !group.isEmpty else { continue }
      fanOuts.note(group.count, as: .removed, of: mark.number)
      record(.removed, push.content, group, of: registration, at: now)
    }
  }

  /// After what was decided about its widgets meanwhile: that still speaks of the old ones.
  private func noteChange(of registration: RegistrationState, from before: FormerFace, at now: LedgerTime) {
    guard registration.isInTrail, before != FormerFace(registration) else { return }
    trail.append(before, of: registration.id, at: now)
  }

  private func level(of left: LeftCell, at now: LedgerTime) -> Int64 {
    left.cell.level(at: now, under: policy(left.policy))
  }

  private func takeLeftCell(
    _ widget: Widget, of registration: RegistrationState, under policy: BudgetPolicy, at now: LedgerTime
  ) -> BudgetCell {
    let fitting = registration.left.indices.filter {
      registration.left[$0].kind == widget.kind && registration.left[$0].family == widget.family
    }
    guard
      let emptiest = fitting.min(by: {
        level(of: registration.left[$0], at: now) < level(of: registration.left[$1], at: now)
      })
    else { return .full(under: policy, at: now) }
    return registration.left.remove(at: emptiest).cell
  }

  // MARK: Bookkeeping, also of a restore

  func adopt(_ device: DeviceState) {
    devices.insert(device)
    devicesByKey[device.scope.keyFingerprint, default: 0] += 1
  }

  /// As ``adopt(_:)``, unless another has its id.
  func adoptNew(_ device: DeviceState) -> Bool {
    guard devices.insertNew(device) else { return false }
    devicesByKey[device.scope.keyFingerprint, default: 0] += 1
    return true
  }

  func adopt(_ registration: RegistrationState) {
    registrations.append(registration)
    registration.device.add(registration)
    presence[registration.app.bundleID, default: AppPresence()].known += 1
  }

  /// Its token finds it from now on.
  func list(_ registration: RegistrationState) {
    index.insert(registration)
    presence[registration.app.bundleID, default: AppPresence()].add(1, in: registration.environment)
  }

  /// Its token and environment are still those under which it was listed.
  private func unlist(_ registration: RegistrationState) {
    index.remove(registration)
    presence[registration.app.bundleID, default: AppPresence()].add(-1, in: registration.environment)
  }

  func drop(_ registration: RegistrationState) {
    registrations.remove(registration)
    widgets.subtract(registration.widgetCounts)
    // Its entry would outlive the device, which nothing else holds any more.
    deadlines.remove(registration)
    let app = registration.app.bundleID
    presence[app]?.known -= 1
    // Nobody may have the app again: its name must not stay for ever.
    guard presence[app]?.known == 0 else { return }
    presence[app] = nil
    apps[app] = nil
  }

  func write(_ device: DeviceState) {
    let writer = ByteWriter(reserving: 128)
    device.encodeRow(into: writer)
    batch.write(.device, id: device.number, writer.bytes)
  }

  /// Past this many different ones, what could be shared is simply not.
  private static let sharedAtMost = 4096

  func intern(_ model: DeviceModel) -> DeviceModel {
    if let known = models.firstIndex(of: model) { return models[known] }
    if models.count < Self.sharedAtMost { models.insert(model) }
    return model
  }

  /// One array for all equal lists.
  func intern(_ widgets: [Widget]) -> [Widget] {
    if let known = widgetLists.firstIndex(of: widgets) { return widgetLists[known] }
    if widgetLists.count < Self.sharedAtMost { widgetLists.insert(widgets) }
    return widgets
  }
}
