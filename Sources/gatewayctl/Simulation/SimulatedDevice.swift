import FoundationEssentials
import GatewayIO
import HTTPMessage
import TokenStore

/// One device: enrols, registers its widgets, holds its stream, says what it got, comes back when the stream breaks, and
/// behaves as its profile says. Bound to its loop; the simulation owns it.
final class SimulatedDevice: TimerHandler {
  enum State { case idle, joining, away, streaming, waiting, leaving, gone }
  enum Timer: UInt64 { case retry, silence, away, goes, sleeps, reinstalls }

  /// Milliseconds (docs/devices.md, 3).
  private static let firstPause: Int64 = 1000
  private static let longestPause: Int64 = 60_000

  /// From 1, as it is printed.
  let number: Int
  let role: DeviceRole
  private(set) var id: String?
  private(set) var token: String?
  private(set) var widgets: [SimulatedWidget]

  let plan: SimulationPlan
  let loop: EventLoop
  unowned let simulation: Simulation
  var key: String?
  var state = State.idle
  /// Goes up with each connection, so that answers on an earlier one are not taken for this one's.
  private(set) var life = 0
  private var line: DeviceLine?
  var stream: ClientExchange?
  var reader = EventStreamReader()
  var seen = SeenRefreshes()
  /// Up to where the gateway has answered receipts.
  var confirmed = SeenRefreshes()
  var receipts = ReceiptQueue()
  var lastID: RefreshID?
  var lastHeard: Int64 = 0
  var pause = firstPause
  /// Boot milliseconds; nil before the first registration.
  private var awayUntil: Int64?
  var isAsleep = false
  private var installation = 0
  private var isSeedTaken = false
  private var timers: [Timer: TimerID] = [:]
  var random: SeededGenerator

  init(number: Int, plan: SimulationPlan, loop: EventLoop, simulation: Simulation) {
    self.number = number
    self.plan = plan
    role = plan.role(of: number)
    self.loop = loop
    self.simulation = simulation
    random = SeededGenerator(seed: plan.seed &+ UInt64(number))
    let placed = loop.now.bootNanoseconds
    widgets = role.widgets.map { SimulatedWidget(kind: $0.kind, family: $0.family, placed: placed) }
  }

  // MARK: Joining

  func start() {
    guard state == .idle || state == .waiting else { return }
    state = .joining
    do {
      line = try simulation.line(for: self)
    } catch {
      return simulation.failed(self, "\(error)")
    }
    if id == nil { enrol() } else { register() }
  }

  private func enrol() {
    struct Enrolment: Encodable {
      let platform: String
      let os: String
    }
    struct Answer: Decodable {
      let device: String
      let key: String
    }
    let body = Enrolment(platform: role.platform.rawValue, os: role.os)
    send(.post, "/v1/devices", key: plan.enrolmentKey, body: body) { [self] response in
      guard let answer: Answer = decoded(response, status: 201, doing: "enrol") else { return }
      (id, key) = (answer.device, answer.key)
      register()
    }
  }

  private func register() {
    putRegistration { [self] in
      let isFirst = awayUntil == nil
      let until = awayUntil ?? loop.now.bootMilliseconds + plan.away
      awayUntil = until
      let wait = until - loop.now.bootMilliseconds
      guard wait > 0 else { return openStream() }
      state = .away
      schedule(.away, after: wait)
      if isFirst { simulation.wentAway(self) }
    }
  }

  /// Says what stands on the screen, and learns what the budgets are. It costs nothing when nothing changed.
  func putRegistration(then: @escaping () -> Void) {
    struct Registration: Encodable {
      let environment: String
      let token: String?
      let widgets: [SimulationPlan.Widget]
    }
    struct Answer: Decodable {
      struct Widget: Decodable {
        let limit: Int?
        let remaining: Int?
      }
      let token: String
      let widgets: [Widget]
    }
    let chosen = token ?? (isSeedTaken ? nil : plan.token(of: number, installation: installation))
    let body = Registration(environment: plan.environment.rawValue, token: chosen, widgets: role.widgets)
    send(.put, path("apps/" + plan.bundleID), key: key ?? "", body: body) { [self] response in
      // An earlier run with this seed had it, and the gateway remembers whose tokens were whose.
      if response.status == 409, token == nil, chosen != nil {
        isSeedTaken = true
        simulation.foundSeedTaken()
        return putRegistration(then: then)
      }
      guard let answer: Answer = decoded(response, status: 200, doing: "register") else { return }
      token = answer.token
      for (index, said) in answer.widgets.enumerated() where index < widgets.count {
        (widgets[index].limit, widgets[index].remaining) = (said.limit, said.remaining)
        widgets[index].mostRemaining = max(widgets[index].mostRemaining, said.remaining ?? 0)
      }
      then()
    }
  }

  /// The app is installed anew: another token, and the old one answers 410.
  func reinstall() {
    installation += 1
    token = plan.token(of: number, installation: installation)
    // Of the seed of an earlier run, all later tokens are taken too.
    if isSeedTaken {
      token = (0..<8).map { _ in String(UInt32.random(in: 0x1000_0000...UInt32.max), radix: 16) }.joined()
    }
    simulation.reinstalled(self)
    putRegistration {}
  }

  func becameReady() {
    pause = Self.firstPause
    simulation.becameReady(self)
    startHabits()
  }

  /// The widgets that an event names are reloaded, and no others, as WidgetKit does it.
  func reload(_ refresh: Refresh) {
    let (boot, wall) = (loop.now.bootNanoseconds, loop.now.wallMilliseconds)
    for named in refresh.widgets {
      guard let index = widgets.firstIndex(where: { $0.kind == named.kind && $0.family == named.family }) else {
        continue
      }
      widgets[index].refresh(by: refresh.apnsID, boot: boot, wall: wall)
    }
  }

  // MARK: Breaking and leaving

  /// The connection is gone already.
  func lostLine(_ reason: String) {
    line = nil
    broke(reason)
  }

  func broke(_ reason: String) {
    guard state == .joining || state == .streaming || state == .away else {
      if state == .leaving { gone() }
      return
    }
    let wasStreaming = state == .streaming
    state = .waiting
    drop()
    // Half of the pause is chance, so that many devices do not come back in the same instant.
    let wait = pause / 2 + Int64(random.next() % UInt64(pause / 2 + 1))
    pause = min(pause * 2, Self.longestPause)
    schedule(.retry, after: wait)
    simulation.broke(self, wasStreaming: wasStreaming, reason)
  }

  /// Ends the stream of its own will, and comes back after `milliseconds`.
  func goAway(for milliseconds: Int64) {
    guard state == .streaming else { return }
    state = .waiting
    drop(abruptly: role.profile.breaksOff)
    schedule(.retry, after: milliseconds)
    simulation.disconnected(self)
  }

  private func drop(abruptly: Bool = false) {
    for timer in timers.values { loop.cancel(timer) }
    timers = [:]
    life += 1
    let dropped = line.take()
    dropped?.leave(self, stream: stream.take(), abruptly: abruptly)
  }

  /// Ends the device's life, on the gateway too unless the plan keeps it.
  func leave() {
    guard state != .gone, state != .leaving else { return }
    let wasStreaming = state == .streaming
    let isConnected = wasStreaming || state == .away
    state = .leaving
    // What the budgets are now tells a widget that waits for its own from one that was forgotten.
    guard wasStreaming, simulation.hasMissed(self) else { return sayGoodbye(isConnected: isConnected, wasStreaming) }
    putRegistration { [self] in sayGoodbye(isConnected: isConnected, wasStreaming) }
  }

  private func sayGoodbye(isConnected: Bool, _ wasStreaming: Bool) {
    simulation.tally(self, wasStreaming: wasStreaming)
    guard isConnected, !plan.keeps else { return gone() }
    send(.delete, path(""), key: key ?? "") { [self] _ in gone() }
  }

  /// Trying again would not help.
  func giveUp(_ reason: String) {
    guard state != .leaving else { return gone() }
    state = .gone
    drop()
    simulation.failed(self, reason)
  }

  private func gone() {
    guard state != .gone else { return }
    simulation.tally(self, wasStreaming: state == .streaming)
    state = .gone
    drop()
    simulation.left(self)
  }

  /// The gateway does not know this device any more.
  func forgetIdentity() { (id, key, lastID) = (nil, nil, nil) }

  // MARK: Timers

  func schedule(_ timer: Timer, after milliseconds: Int64) {
    if let earlier = timers[timer] { loop.cancel(earlier) }
    timers[timer] = loop.schedule(after: milliseconds, self, token: timer.rawValue)
  }

  func timerFired(_ token: UInt64) {
    guard let timer = Timer(rawValue: token) else { return }
    timers[timer] = nil
    switch timer {
    case .retry: simulation.wantsToStart(self)
    case .away:
      guard state == .away else { return }
      state = .joining
      openStream()
    case .silence: checkSilence()
    case .goes, .sleeps, .reinstalls: follow(timer)
    }
  }

  // MARK: Requests

  func path(_ rest: String) -> String { "/v1/devices/" + (id ?? "") + (rest.isEmpty ? "" : "/" + rest) }

  func send(
    _ method: ClientRequest.Method, _ path: String, key: String, body: (any Encodable)? = nil,
    then: @escaping (ClientResponse) -> Void
  ) {
    let bytes = body.flatMap { try? JSONEncoder().encode($0) }.map { Array($0) } ?? []
    let fields = [(name: "authorization", value: "Bearer " + key), (name: "content-type", value: "application/json")]
    let life = life
    _ = line?.send(ClientRequest(method, path, fields: fields, body: bytes)) { [weak self] result in
      // A failed request is told by the connection's end, or by the silence that follows.
      guard let self, life == self.life, state != .gone, case .success(let response) = result else { return }
      then(response)
    }
  }

  /// The request whose answer is read while it comes.
  func send(
    _ request: ClientRequest, receiving: @escaping (ClientResponsePart) -> Void,
    completion: @escaping (Result<ClientResponse, ClientError>) -> Void
  ) {
    let life = life
    stream = line?.send(
      request,
      receiving: { [weak self] part in if self?.life == life { receiving(part) } },
      completion: { [weak self] result in if self?.life == life { completion(result) } })
  }
}
