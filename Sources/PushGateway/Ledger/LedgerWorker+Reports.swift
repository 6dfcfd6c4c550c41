import BudgetThrottle
import GatewayCore
import GatewayReports
import TokenStore

/// What the admin API is told.
extension LedgerWorker {
  /// Registrations that one page looks at.
  private static let registrationsPerPage = 20_000

  func report(_ time: LedgerTime) -> ReportTime { ReportTime(milliseconds: reading.wallTime(of: time).milliseconds) }

  var readiness: ReadinessReport {
    if let storeFailure { return ReadinessReport(ready: false, why: "the store cannot commit: \(storeFailure)") }
    guard phase == .serving else { return ReadinessReport(ready: false, why: "draining") }
    guard isStoreReady else { return ReadinessReport(ready: false, why: "too much waits for the store") }
    return ReadinessReport(ready: true)
  }

  /// - Parameter loops: what all of them say together.
  func status(_ loops: LoopFigures, listeners: [ListenerReport], started: ReportTime) -> GatewayStatus {
    let counted = ledger.widgetCounts
    return GatewayStatus(
      version: Gateway.version, started: started,
      uptimeSeconds: Int((wall.milliseconds - started.milliseconds) / 1000), readiness: readiness,
      listeners: listeners, connections: ConnectionCounts(provider: loops.providers, device: loops.devices),
      devices: ledger.devices.count, connectedDevices: ledger.attachedCount,
      registrations: ledger.registrations.count, widgets: counted.widgets,
      waitingWidgets: counted.waiting, inFlightWidgets: counted.inFlight,
      pushes: PushCounts(accepted: counters.accepted, refused: loops.counters.refused.reduce(0, +)),
      store: StoreReport(
        epoch: UInt32(clamping: ledger.epoch), journalEntries: ledger.batch.journalEntries,
        journalBytes: ledger.batch.journalBytes, pendingEntries: commits.count, failing: storeFailure),
      developerModeGrants: ledger.developerMode.standing(at: now).count)
  }

  // MARK: Registrations

  func find(_ token: String) -> Result<RegistrationState, AdminFailure> {
    guard let parsed = DeviceToken(hex: token) else {
      return .failure(.invalid("a device token is 2 to 200 hex digits"))
    }
    guard let registration = ledger.registrations(for: parsed).first else {
      return .failure(.notFound("no registration has this token"))
    }
    return .success(registration)
  }

  func registrations(limit: Int, after: String?, app: String?) -> Result<RegistrationPage, AdminFailure> {
    var walk = RegistrationWalk()
    if let after {
      guard let last = UInt64(after) else { return .failure(.invalid("after is not from a page")) }
      walk = RegistrationWalk(after: last)
    }
    var page: [RegistrationSummary] = []
    // A page may be short where an app is rare: the ledger has pushes to decide.
    for _ in 0..<Self.registrationsPerPage {
      guard page.count < limit else { break }
      guard let registration = walk.next(in: ledger.registrations) else {
        return .success(RegistrationPage(registrations: page, next: nil))
      }
      guard registration.isActive, app == nil || registration.app.bundleID.description == app else { continue }
      page.append(summary(registration))
    }
    return .success(RegistrationPage(registrations: page, next: String(walk.last)))
  }

  private func summary(_ registration: RegistrationState) -> RegistrationSummary {
    RegistrationSummary(
      token: registration.token.description, app: registration.app.bundleID.description,
      environment: registration.environment.rawValue, device: registration.device.id.description,
      platform: registration.device.platform.rawValue, connected: registration.device.isAttached,
      widgets: registration.accounts.count, waiting: registration.waitingCount,
      inFlight: registration.inFlightCount)
  }

  /// - Parameter told: what was decided about it lately, newest first.
  func report(_ registration: RegistrationState, _ told: [TrailSearch.Told]) -> RegistrationReport {
    let budgets = ledger.peek(registration, at: now)
    let face = FormerFace(registration)
    let widgets = registration.accounts.indices.map { position in
      let (widget, state) = (registration.widgets[position], registration.state(of: position))
      return WidgetReport(
        index: position, kind: widget.kind, family: widget.family.rawValue, configuration: widget.configuration,
        budget: self.budget(budgets[position]), mark: state.mark.flatMap { mark(of: $0, in: registration) },
        inFlight: state.inFlight.flatMap { inFlight(of: $0, in: registration) },
        lastDecision: told.first { $0.decision.widgets.contains(position) }.map {
          report($0, widget: position, of: face)
        }
      )
    }
    return RegistrationReport(
      token: registration.token.description, topic: registration.app.topic,
      app: registration.app.bundleID.description, environment: registration.environment.rawValue,
      device: registration.device.id.description, platform: registration.device.platform.rawValue,
      connected: registration.device.isAttached, developerMode: ledger.isBypassed(registration, at: now),
      widgets: widgets)
  }

  /// What it takes to look up what was decided about a registration lately; nil where nothing was.
  func trail(of registration: RegistrationState) -> RegistrationTrail? {
    registration.isInTrail
      ? RegistrationTrail(
        chunks: ledger.trail.snapshot, registration: registration.id, widgets: registration.accounts.count)
      : nil
  }

  func budgetReport(_ registration: RegistrationState) -> BudgetReport {
    let budgets = ledger.peek(registration, at: now)
    return BudgetReport(
      token: registration.token.description, app: registration.app.bundleID.description,
      environment: registration.environment.rawValue, developerMode: ledger.isBypassed(registration, at: now),
      widgets: zip(registration.widgets.indices, budgets).map { position, peek in
        let widget = registration.widgets[position]
        return BudgetReport.Widget(
          index: position, kind: widget.kind, family: widget.family.rawValue, configuration: widget.configuration,
          budget: budget(peek))
      })
  }

  private func budget(_ peek: Ledger.BudgetPeek) -> WidgetBudget {
    WidgetBudget(
      limit: peek.policy.refreshesPerDay, burst: peek.policy.burst, sustained: peek.policy.sustainedPerDay,
      remaining: peek.remaining, next: peek.next.map { report($0) }, admits: peek.admits.map { report($0) },
      mode: peek.policy.mode.rawValue)
  }

  private func mark(of mark: Mark, in registration: RegistrationState) -> MarkReport? {
    ledger.content(of: mark.number, in: registration).map { content in
      MarkReport(
        apnsID: content.id.description, number: mark.number, since: report(mark.first), expires: report(mark.expires),
        priority: Int(mark.priority.rawValue))
    }
  }

  private func inFlight(of flight: InFlight, in registration: RegistrationState) -> InFlightReport? {
    ledger.content(of: flight.number, in: registration).map { content in
      InFlightReport(
        eventID: EventID(epoch: flight.epoch, sequence: flight.sequence).description, apnsID: content.id.description)
    }
  }

  // MARK: Developer mode

  func report(_ grant: DeveloperMode.Grant) -> DeveloperModeReport {
    var (app, device): (String?, String?)
    switch grant.subject {
    case .app(let bundleID): app = bundleID.description
    case .device(let id): device = id.description
    }
    return DeveloperModeReport(
      app: app, device: device, until: report(grant.until), since: report(grant.since), who: grant.who,
      why: grant.why, by: grant.granter == .deviceSwitch ? .device : .operator)
  }

  func grant(
    _ subject: DeveloperModeSubject, _ request: DeveloperModeRequest, peerUID: UInt32?
  ) -> Result<DeveloperModeReport, AdminFailure> {
    guard request.seconds > 0 else { return .failure(.invalid("seconds must be at least 1")) }
    let (milliseconds, isBeyond) = Int64(request.seconds).multipliedReportingOverflow(by: 1000)
    let duration = isBeyond ? .max : milliseconds
    do throws(Ledger.DeveloperModeRefusal) {
      try ledger.checkOperatorGrant(to: subject, for: duration)
      let grant = try ledger.grantDeveloperMode(
        to: subject, for: duration, who: request.who, why: request.why,
        granter: .operatorRequest(uid: peerUID), at: now, wall: wall)
      return .success(report(grant))
    } catch {
      return .failure(failure(error, of: subject))
    }
  }

  private func failure(_ refusal: Ledger.DeveloperModeRefusal, of subject: DeveloperModeSubject) -> AdminFailure {
    switch refusal {
    case .forbidden, .switchForbidden: .forbidden("developer-mode.allowed is false in the configuration")
    case .tooLong(let longest):
      .invalid("developer mode lasts at most \(longest / 1000) s here (developer-mode.longest)")
    case .tooOften(let wait): .unavailable("developer mode was switched on too often; wait \(wait) s")
    case .unknownDevice: .notFound("there is no such device; gatewayctl registrations lists those with an app")
    case .unknownApp:
      .notFound(
        "no device has registered \(subject); check the spelling with gatewayctl registrations, or let a device "
          + "register it first")
    case .productionOnly:
      .forbidden("\(subject) is registered for production only, which developer mode never touches")
    }
  }
}
