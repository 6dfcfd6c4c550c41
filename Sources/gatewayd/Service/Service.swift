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
    case ended
  }

  private enum State { case serving, draining, ending }

  private static let statusPeriod: Int64 = 5000

  private let file: String
  private let log: LogSink
  private let loop: EventLoop
  private let gateway: Gateway
  private let admin: AdminServer
  private let notifier = ServiceNotifier()
  private let inbox: Mailbox<Event>
  private var running: GatewayConfiguration
  private var state = State.serving

  /// Opens everything. When it throws, nothing is left open.
  init(_ loaded: LoadedConfiguration) throws {
    file = loaded.file
    running = loaded.gateway
    log = LogSink(loaded.gateway.log)
    loop = try EventLoop()
    inbox = try Mailbox(capacity: 16)
    var inherited = try InheritedSockets.atStart()
    gateway = try Gateway(loaded.gateway, log: log) { inherited.take($0) }
    for address in inherited.unclaimed {
      log.warning("no listener of the configuration claims a socket that systemd opened", (.address, address))
    }
    do {
      admin = try AdminServer(loaded.gateway.admin, backend: gateway)
    } catch {
      gateway.stop()
      throw error
    }
  }

  /// Serves until a signal or a failure ends it.
  /// - Returns: whether the end was an orderly one.
  func run() throws -> Bool {
    let signals = try SignalSource(handler: self)
    try signals.start(on: loop)
    try loop.attach(inbox, to: self)
    let (gateway, inbox) = (gateway, inbox)
    let waiter = try LoopThread(name: "gateway-waiter") {
      gateway.waitUntilEnded()
      inbox.postAlways(.ended)
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
    return state != .serving
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

  func received(_ batch: [Event]) { loop.stop() }

  func timerFired(_ token: UInt64) {
    guard state == .serving else { return }
    // The question goes over the gateway's loop: it is answered only while that turns.
    let readiness = gateway.isReady()
    if readiness.why?.contains("did not answer") != true { notifier.alive() }
    notifier.status(statusLine)
    loop.schedule(after: watchdogPeriod ?? Self.statusPeriod, self)
  }

  private var statusLine: String {
    do throws(AdminFailure) {
      let status = try gateway.status()
      return "\(status.connectedDevices) devices, \(status.connections.provider) provider connections, "
        + "\(status.waitingWidgets) widgets waiting, developer mode \(status.developerModeGrants)"
    } catch {
      return error.detail
    }
  }

  private func reload() {
    notifier.reloading()
    defer { notifier.ready(statusLine) }
    do {
      let loaded = try ConfigurationFile.load(file)
      let plan = ReloadPlan(running: running, new: loaded.gateway)
      try gateway.reload(plan.configuration)
      running = plan.configuration
      log.setLevel(running.log.level)
      for warning in loaded.warnings { log.warning(warning.description) }
      log.info("reloaded: \(plan.summary)", (.path, file))
    } catch let errors as ConfigurationErrors {
      for error in errors.errors { log.error("not reloaded, everything stays as it was: \(error)") }
    } catch {
      log.error("not reloaded, everything stays as it was: \(error)")
    }
  }
}

extension Duration {
  fileprivate var milliseconds: Int64 {
    components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
  }
}
