import CommandLineInterface
import ConfigurationFile
import GatewayCore
import GatewayIO
import GatewayReports
import PushGateway

/// The daemon around a gateway: start order, signals, the service manager, and stop order. Lives on the main thread,
/// on a loop of its own, so that a signal is heard whatever the gateway does.
final class Service: SignalHandler, MailboxHandler, TimerHandler {
  enum Event: Sendable {
    /// The gateway has ended, drained or not.
    /// - Parameter isWhole: the store took all that was waiting for it.
    case ended(isWhole: Bool)
  }

  private enum State { case serving, draining, ending }

  private static let statusPeriod: Int64 = 5000
  /// How long the end waits for whoever reads the log.
  private static let logPatience = Duration.seconds(2)

  private let file: String
  private let log: LogSink
  private let loop: EventLoop
  private let gateway: Gateway
  private let admin: AdminServer
  private let notifier = ServiceNotifier()
  private let inbox: Mailbox<Event>
  private var running: GatewayConfiguration
  private var state = State.serving
  private var rate = PushRate()
  private var isWhole = false

  /// Opens everything. When it throws, nothing is left open.
  init(_ loaded: LoadedConfiguration) throws {
    file = loaded.file
    running = loaded.gateway
    let log = try LogSink(loaded.gateway.log)
    self.log = log
    loop = try EventLoop()
    inbox = try Mailbox(capacity: 16)
    var inherited = try InheritedSockets.atStart()
    // Before the store: a start that finds an address taken leaves no database behind.
    let adminSockets = try AdminServer.listen(loaded.gateway.admin)
    do {
      gateway = try Gateway(loaded.gateway, log: log) { inherited.take($0) }
    } catch {
      adminSockets.forEach { $0.close() }
      throw error
    }
    for address in inherited.unclaimed {
      log.warning("no listener of the configuration claims a socket that systemd opened", (.address, address))
    }
    do {
      admin = try AdminServer(sockets: adminSockets, backend: gateway, token: loaded.gateway.admin.token) {
        ProcessMetrics.families + [
          .single(
            "gatewayd_log_lines_lost_total", "Log lines that were lost because nobody read fast enough.", .counter,
            Double(log.linesLost))
        ]
      }
    } catch {
      gateway.stop()
      log.flush(within: Self.logPatience)
      throw error
    }
  }

  /// Serves until a signal or a failure ends it.
  /// - Returns: whether the end was an orderly one, and the store has all that it was given.
  func run() throws -> Bool {
    let signals = try SignalSource(handler: self)
    try signals.start(on: loop)
    try loop.attach(inbox, to: self)
    let (gateway, inbox) = (gateway, inbox)
    let waiter = try LoopThread(name: "gateway-waiter") {
      inbox.postAlways(.ended(isWhole: gateway.waitUntilEnded()))
    }
    for listener in gateway.listeners {
      var fields: [(LogKey, String)] = [(.listener, listener.role.rawValue), (.address, listener.address)]
      if let environment = listener.environment { fields.append((.environment, environment)) }
      log.record(.info, "listening", fields)
    }
    for address in admin.addresses { log.info("listening", (.listener, "admin"), (.address, "\(address)")) }
    log.info("gatewayd serves", (.version, Gateway.version))
    notifier.ready(statusLine)
    if let interval = notifier.watchdogInterval { watchdogPeriod = max(100, interval.milliseconds / 2) }
    loop.schedule(after: watchdogPeriod ?? Self.statusPeriod, self)
    loop.run()
    admin.stop()
    waiter.join()
    log.info("gatewayd has ended")
    log.flush(within: Self.logPatience)
    return state != .serving && isWhole
  }

  private var watchdogPeriod: Int64?

  // MARK: Events

  func received(_ signal: ProcessSignal) {
    switch (signal, state) {
    case (.hangup, .serving): reload()
    case (.hangup, _): break
    case (_, .serving):
      state = .draining
      log.info(
        "draining: no new connections, what is under way ends", (.seconds, "\(running.drain.components.seconds)"))
      notifier.stopping("draining")
      gateway.beginDrain()
    case (_, .draining):
      state = .ending
      log.warning("ending at once; what was accepted is kept")
      gateway.beginStop()
    case (_, .ending): break
    }
  }

  func received(_ batch: [Event]) {
    for case .ended(let isWhole) in batch { self.isWhole = isWhole }
    loop.stop()
  }

  func timerFired(_ token: UInt64) {
    // The question goes to every loop and to the ledger: it is answered only while they turn. While it ends it is not asked.
    let isTurning = state == .ending || gateway.isTurning(within: notifier.watchdogInterval ?? .seconds(30))
    if isTurning {
      notifier.alive()
      if state != .ending { notifier.status(statusLine) }
    } else if !wasStuck, state == .serving {
      log.error("one of the gateway's loops or its store does not turn; the watchdog is not fed until it does")
      notifier.status("stuck: a loop or the store does not turn")
    }
    wasStuck = !isTurning
    loop.schedule(after: watchdogPeriod ?? Self.statusPeriod, self)
  }

  private var wasStuck = false

  private var statusLine: String {
    do throws(AdminFailure) {
      let status = try gateway.status()
      rate.note(status.pushes, at: loop.now.bootMilliseconds)
      return StatusLine.text(of: status, rate: rate)
    } catch {
      return error.detail
    }
  }

  private func reload() {
    notifier.reloading()
    defer { notifier.ready(statusLine) }
    do {
      let loaded = try ConfigurationFile.load(file, regularOnly: true)
      let plan = ReloadPlan(running: running, new: loaded.gateway)
      try gateway.reload(plan.configuration)
      running = plan.configuration
      log.setLevel(running.log.level)
      for warning in loaded.warnings { log.warning(warning.description) }
      log.info("reloaded: \(plan.summary)", (.path, file))
      gateway.noteReload(problems: [])
    } catch let errors as ConfigurationErrors {
      refuseReload(errors.errors.map(\.description))
    } catch {
      refuseReload(["\(error)"])
    }
  }

  private func refuseReload(_ problems: [String]) {
    for problem in problems { log.error("not reloaded, everything stays as it was: \(problem)") }
    gateway.noteReload(problems: problems)
  }
}

extension Duration {
  fileprivate var milliseconds: Int64 {
    components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
  }
}
