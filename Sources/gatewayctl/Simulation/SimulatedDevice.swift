import FoundationEssentials
import GatewayIO
import HTTPMessage
import TokenStore

/// One device: enrols, registers its widgets, holds its stream, says what it got, comes back when the stream breaks.
/// Bound to its loop; the simulation owns it.
final class SimulatedDevice: TimerHandler {
  private enum State { case idle, joining, away, streaming, waiting, leaving, gone }
  private enum Timer: UInt64 { case retry, silence, away }

  /// Milliseconds (docs/devices.md, 3).
  private static let firstPause: Int64 = 1000
  private static let longestPause: Int64 = 60_000

  /// From 1, as it is printed.
  let number: Int
  private(set) var id: String?
  private(set) var token: String?

  private let plan: SimulationPlan
  private let loop: EventLoop
  private let pool: HTTP2StreamPool
  private unowned let simulation: Simulation
  private var key: String?
  private var connection: ClientConnection?
  private var state = State.idle
  private var reader = EventStreamReader()
  private var seen = SeenRefreshes()
  private var receipts = ReceiptQueue()
  private var lastID: RefreshID?
  private var lastHeard: Int64 = 0
  private var pause = firstPause
  /// Boot milliseconds; nil before the first registration.
  private var awayUntil: Int64?
  private var timers: [Timer: TimerID] = [:]
  private var random: SeededGenerator

  init(number: Int, plan: SimulationPlan, loop: EventLoop, pool: HTTP2StreamPool, simulation: Simulation) {
    self.number = number
    self.plan = plan
    self.loop = loop
    self.pool = pool
    self.simulation = simulation
    random = SeededGenerator(seed: (plan.seed ?? UInt64.random(in: 0...UInt64.max)) &+ UInt64(number))
  }

  // MARK: Joining

  func start() {
    guard state == .idle || state == .waiting else { return }
    state = .joining
    let connection: ClientConnection
    do {
      connection = try plan.target.connection(on: loop, pool: pool)
    } catch {
      return simulation.failed(self, "\(error)")
    }
    self.connection = connection
    connection.closed = { [weak self] error in
      self?.broke(error.map(PushSender.sentence) ?? "the connection is closed")
    }
    connection.start()
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
    let body = Enrolment(platform: plan.platform.rawValue, os: plan.os)
    send(.post, "/v1/devices", key: plan.enrolmentKey, body: body) { [self] response in
      guard let answer: Answer = decoded(response, status: 201, doing: "enrol") else { return }
      (id, key) = (answer.device, answer.key)
      register()
    }
  }

  private func register() {
    struct Registration: Encodable {
      let environment: String
      let token: String?
      let widgets: [SimulationPlan.Widget]
    }
    struct Answer: Decodable { let token: String }
    let body = Registration(
      environment: plan.environment.rawValue, token: token ?? plan.token(of: number), widgets: plan.widgets)
    send(.put, path("apps/" + plan.bundleID), key: key ?? "", body: body) { [self] response in
      guard let answer: Answer = decoded(response, status: 200, doing: "register") else { return }
      token = answer.token
      let isFirst = awayUntil == nil
      let until = awayUntil ?? loop.now.bootMilliseconds + plan.away
      awayUntil = until
      let wait = until - loop.now.bootMilliseconds
      guard wait > 0 else { return openStream() }
      state = .away
      timers[.away] = loop.schedule(after: wait, self, token: Timer.away.rawValue)
      if isFirst { simulation.wentAway(self) }
    }
  }

  /// It ends with the stream, so it is said on each (docs/devices.md, 5).
  private func saySituation() {
    struct Situation: Encodable {
      var foreground: String?
      var developerMode: Bool?
    }
    guard plan.isInForeground || plan.switchesDeveloperModeOn else { return simulation.becameReady(self) }
    let body = Situation(
      foreground: plan.isInForeground ? plan.bundleID : nil,
      developerMode: plan.switchesDeveloperModeOn ? true : nil)
    send(.put, path("state"), key: key ?? "", body: body) { [self] response in
      guard response.status == 200 else { return refused(response, doing: "say its state") }
      simulation.becameReady(self)
    }
  }

  private func openStream() {
    var fields = [(name: "authorization", value: "Bearer " + (key ?? ""))]
    if let lastID { fields.append((name: "last-event-id", value: "\(lastID)")) }
    reader = EventStreamReader()
    receipts.reset()
    connection?.send(
      ClientRequest(.get, path("updates"), fields: fields),
      receiving: { [weak self] part in self?.received(part) },
      completion: { [weak self] result in
        guard let self, state == .streaming || state == .joining else { return }
        if case .success(let response) = result, response.status != 200 {
          refused(response, doing: "open the stream")
        } else {
          broke("the gateway ended the stream")
        }
      })
  }

  // MARK: Streaming

  private func received(_ part: ClientResponsePart) {
    lastHeard = loop.now.bootMilliseconds
    switch part {
    case .head(let response):
      guard response.status == 200 else { return }
      state = .streaming
      pause = Self.firstPause
      watchSilence(after: plan.silence)
      saySituation()
    case .data(let bytes):
      guard state == .streaming else { return }
      for event in reader.feed(bytes) where event.name == "refresh" { refresh(event) }
      if reader.isBroken { broke("a line of the stream is too long") }
      sendReceipt()
    }
  }

  private func refresh(_ event: EventStreamReader.Event) {
    guard let id = RefreshID(event.id),
      let refresh = try? JSONDecoder().decode(Refresh.self, from: Data(event.data.utf8))
    else { return broke("an event of the stream is not as documented") }
    if seen.insert(id) { simulation.refreshed(self, refresh, id: id) } else { simulation.sawDuplicate() }
    lastID = id
    receipts.add(id)
  }

  private func sendReceipt() {
    guard state == .streaming, let id = receipts.next() else { return }
    send(.post, path("receipts"), key: key ?? "", body: ["upTo": id.description]) { [self] response in
      receipts.sent()
      // The gateway's store was restored from an older copy: that id will come again for something else.
      if response.status == 422 { lastID = nil }
      sendReceipt()
    }
  }

  private func watchSilence(after milliseconds: Int64) {
    if let timer = timers[.silence] { loop.cancel(timer) }
    timers[.silence] = loop.schedule(after: milliseconds, self, token: Timer.silence.rawValue)
  }

  // MARK: Breaking and leaving

  private func broke(_ reason: String) {
    guard state == .joining || state == .streaming || state == .away else {
      if state == .leaving { gone() }
      return
    }
    let wasStreaming = state == .streaming
    state = .waiting
    drop()
    simulation.broke(self, wasStreaming: wasStreaming, reason)
    // Half of the pause is chance, so that many devices do not come back in the same instant.
    let wait = pause / 2 + Int64(random.next() % UInt64(pause / 2 + 1))
    pause = min(pause * 2, Self.longestPause)
    timers[.retry] = loop.schedule(after: wait, self, token: Timer.retry.rawValue)
  }

  private func drop() {
    for timer in timers.values { loop.cancel(timer) }
    timers = [:]
    let dropped = connection.take()
    dropped?.closed = nil
    dropped?.close()
  }

  /// Ends the device's life, on the gateway too unless the plan keeps it.
  func leave() {
    guard state != .gone, state != .leaving else { return }
    let isConnected = state == .streaming || state == .away
    state = .leaving
    guard isConnected, !plan.keeps, let connection else { return gone() }
    let fields = [(name: "authorization", value: "Bearer " + (key ?? ""))]
    connection.send(ClientRequest(.delete, path(""), fields: fields)) { [weak self] _ in self?.gone() }
  }

  private func gone() {
    guard state != .gone else { return }
    state = .gone
    drop()
    simulation.left(self)
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
    case .silence:
      let quiet = loop.now.bootMilliseconds - lastHeard
      if quiet >= plan.silence {
        broke("nothing came for \(quiet / 1000) s")
      } else {
        watchSilence(after: plan.silence - quiet)
      }
    }
  }

  // MARK: Requests

  private func path(_ rest: String) -> String { "/v1/devices/" + (id ?? "") + (rest.isEmpty ? "" : "/" + rest) }

  private func send(
    _ method: ClientRequest.Method, _ path: String, key: String, body: some Encodable,
    then: @escaping (ClientResponse) -> Void
  ) {
    let bytes = (try? JSONEncoder().encode(body)).map { Array($0) } ?? []
    let fields = [(name: "authorization", value: "Bearer " + key), (name: "content-type", value: "application/json")]
    connection?.send(ClientRequest(method, path, fields: fields, body: bytes)) { [weak self] result in
      // A failed request is told by the connection's end, or by the silence that follows.
      guard let self, state == .joining || state == .streaming, case .success(let response) = result else { return }
      then(response)
    }
  }

  private func decoded<Answer: Decodable>(_ response: ClientResponse, status: Int, doing: String) -> Answer? {
    if response.status == status, let answer = try? JSONDecoder().decode(Answer.self, from: Data(response.body)) {
      return answer
    }
    refused(response, doing: doing)
    return nil
  }

  /// Refusals of the moment are tried again; others would come again too.
  private func refused(_ response: ClientResponse, doing: String) {
    struct Refusal: Decodable { let detail: String }
    let detail = try? JSONDecoder().decode(Refusal.self, from: Data(response.body)).detail
    let text = "cannot \(doing): \(response.status)" + (detail.map { " " + $0 } ?? "")
    switch response.status {
    case 429, 500...599:
      if let seconds = response.headers.text(of: .retryAfter).flatMap({ Int64($0) }) {
        pause = max(pause, min(seconds, 3600) * 2000)
      }
      broke(text)
    case 401 where id != nil && state != .leaving:
      // The gateway does not know this device any more.
      (id, key, lastID) = (nil, nil, nil)
      broke(text)
    default:
      state = .gone
      drop()
      simulation.failed(self, text)
    }
  }
}
