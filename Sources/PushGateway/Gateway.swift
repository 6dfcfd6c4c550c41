public import GatewayCore
package import GatewayIO
public import GatewayReports
import Glibc
import Synchronization
import TokenStore
import TokenStoreSQLite

/// A running gateway. Making one opens its doors and its store; it serves until it is drained or stopped.
///
/// ```swift
/// let gateway = try Gateway(configuration)
/// defer { gateway.stop() }
/// // push to gateway.listeners
/// ```
public final class Gateway: Sendable {
  public static let version = "0.1.0"

  /// Where it listens, with the real ports where port 0 was asked for.
  public let listeners: [ListenerReport]
  private let inbox: Mailbox<LoopMessage>
  private let thread: LoopThread
  private let ended: Reply<Bool>
  let backups: BackupDesk
  let reloads = ReloadRecord()
  let database: String
  let started: ReportTime

  /// - Throws: what is wrong and how to mend it; nothing is half open then.
  public convenience init(
    _ configuration: GatewayConfiguration, log: any GatewayLog = SilentLog()
  ) throws(GatewayError) {
    try self.init(configuration, log: log, inherited: { _ in nil })
  }

  /// - Parameter inherited: gives the socket that listens on an address already, if the service manager opened one.
  package init(
    _ configuration: GatewayConfiguration, log: any GatewayLog, inherited: (ListenAddress) -> ListeningSocket?
  ) throws(GatewayError) {
    let tls = try ServerTLS(configuration)
    let doors = try Self.openDoors(configuration, inherited: inherited)
    let inbox: Mailbox<LoopMessage>
    do throws(SystemCallError) {
      inbox = try Mailbox(capacity: 1 << 16)
    } catch {
      throw GatewayError("no mailbox for the event loop: \(error)")
    }
    let backups = BackupDesk(database: configuration.store.database) { cause in
      inbox.postAlways(.perform { $0.store.report(damage: cause) })
    }
    self.backups = backups
    database = configuration.store.database
    let setup = WorkerSetup(
      configuration: configuration, tls: tls, doors: doors, bootID: Self.readBootID(), inbox: inbox, log: log,
      backups: backups)
    let start = Reply<GatewayError?>()
    let ended = Reply<Bool>()
    do throws(SystemCallError) {
      thread = try LoopThread(name: "gateway-loop") { Self.run(setup, start: start, ended: ended) }
    } catch {
      throw GatewayError("no thread for the event loop: \(error)")
    }
    if case .some(.some(let failure)) = start.wait() {
      thread.join()
      throw failure
    }
    self.inbox = inbox
    self.ended = ended
    started = ReportTime(milliseconds: LoopClock.read().wallMilliseconds)
    listeners = doors.map { door in
      switch door.kind {
      case .provider(let provider):
        ListenerReport(
          role: .provider, address: "\(door.socket.address)", environment: provider.environment.rawValue)
      case .device: ListenerReport(role: .device, address: "\(door.socket.address)")
      }
    }
  }

  // MARK: The end

  /// Takes no new connections, says goodbye on those that are open, lets what is under way end, and returns when
  /// everything accepted is durable and the store is closed.
  /// - Parameter duration: after which what is left is closed; nil for the configured `lifecycle.drain`.
  public func drain(for duration: Duration? = nil) {
    beginDrain(for: duration)
    waitUntilEnded()
  }

  /// As ``drain(for:)``, without waiting for its end.
  public func beginDrain(for duration: Duration? = nil) {
    inbox.postAlways(
      .perform { worker in
        worker.drain(for: (duration ?? worker.configuration.drain).wholeMilliseconds)
      })
  }

  /// Ends at once. What was accepted is still made durable, unless the store cannot.
  public func stop() {
    beginStop()
    waitUntilEnded()
  }

  /// As ``stop()``, without waiting for its end.
  public func beginStop() { inbox.postAlways(.perform { $0.stopNow() }) }

  /// Returns when the gateway has ended, whoever ended it.
  /// - Returns: whether the store took all that was waiting for it. What it did not take was not answered either.
  @discardableResult
  public func waitUntilEnded() -> Bool {
    let isWhole = ended.wait() ?? false
    thread.join()
    return isWhole
  }

  // MARK: Changes

  /// Takes over what may change while running: certificate, keys, client CAs, enrolment keys, budgets, developer mode, checks and
  /// limits. All or nothing: when something is wrong, everything stays as it was.
  public func reload(_ configuration: GatewayConfiguration) throws(GatewayError) {
    try reload(configuration, within: .seconds(30))
  }

  /// - Parameter limit: how long the loop may take to begin with it.
  func reload(_ configuration: GatewayConfiguration, within limit: Duration) throws(GatewayError) {
    let tls = try ServerTLS(configuration)
    let done = Reply<GatewayError?>()
    // By the loop or by who gives up, whoever is first: a change of mind must not come after its refusal.
    let isClaimed = Atomic(false)
    inbox.postAlways(
      .perform { worker in
        guard !isClaimed.exchange(true, ordering: .acquiringAndReleasing) else { return }
        do throws(GatewayError) {
          worker.adopt(configuration, tls: tls, keys: try ProviderKeys(configuration.providerKeys))
          done.give(nil)
        } catch {
          done.give(error)
        }
      })
    var outcome = done.wait(for: limit)
    if outcome == nil {
      guard isClaimed.exchange(true, ordering: .acquiringAndReleasing) else {
        throw GatewayError(
          "the gateway did not take the new configuration within \(limit.components.seconds) s: it is overloaded or stuck"
        )
      }
      outcome = done.wait()
    }
    if case .some(.some(let failure)) = outcome { throw failure }
  }

  /// What became of a reload, for `status` and the metrics.
  /// - Parameter problems: what was broken, so that everything stayed as it was; empty for one that succeeded.
  package func noteReload(problems: [String]) { reloads.note(problems: problems) }

  /// Whether the loop and the store thread really turn. A store whose disk answers with errors turns; one whose disk has
  /// not answered for `patience` does not.
  package func isTurning(within patience: Duration) -> Bool {
    do throws(AdminFailure) {
      return try ask(within: .seconds(1)) { worker in .success(worker.store.busyTime < patience) }
    } catch {
      return false
    }
  }

  // MARK: Questions

  /// Asks something on the loop and waits for the answer.
  /// - Throws: ``AdminFailure`` 503 when the loop does not answer in time.
  func ask<Answer: Sendable>(
    within limit: Duration = .seconds(5), _ question: @escaping @Sendable (LoopWorker) -> Result<Answer, AdminFailure>
  ) throws(AdminFailure) -> Answer {
    let reply = Reply<Result<Answer, AdminFailure>>()
    guard inbox.post(.perform { reply.give(question($0)) }) else { throw .unavailable("the gateway is overloaded") }
    return try answer(of: reply, within: limit)
  }

  /// As ``ask(within:_:)``; the answer arrives once all that it decided is durable.
  func command<Answer: Sendable>(
    _ body: @escaping @Sendable (LoopWorker) -> Result<Answer, AdminFailure>
  ) throws(AdminFailure) -> Answer {
    let reply = Reply<Result<Answer, AdminFailure>>()
    let isPosted = inbox.post(
      .perform { worker in
        guard worker.isStoreReady else { return reply.give(.failure(.unavailable("the store cannot commit"))) }
        let answer = body(worker)
        worker.commits.current.notices.append { reply.give(answer) }
      })
    guard isPosted else { throw .unavailable("the gateway is overloaded") }
    return try answer(of: reply, within: .seconds(5))
  }

  private func answer<Answer>(
    of reply: Reply<Result<Answer, AdminFailure>>, within limit: Duration
  ) throws(AdminFailure) -> Answer {
    guard let result = reply.wait(for: limit) else {
      throw .unavailable("the gateway did not answer within \(limit.components.seconds) s")
    }
    return try result.get()
  }

  // MARK: Start

  private static func run(_ setup: WorkerSetup, start: Reply<GatewayError?>, ended: Reply<Bool>) {
    do {
      let loop = try EventLoop()
      let worker = try LoopWorker(setup, loop: loop)
      start.give(nil)
      loop.run()
      setup.backups.end()
      worker.leaveTrail()
      let outcome = worker.store.stop(giveUpAfter: .seconds(10))
      if case .gaveUp(undurable: let count) = outcome {
        setup.log.error(
          "the store did not take the last commits; nobody was told that they were accepted",
          (.count, "\(count)"))
      }
      ended.give(outcome == .finished)
    } catch let error as GatewayError {
      start.give(error)
    } catch {
      start.give(GatewayError("the event loop cannot start: \(error)"))
    }
  }

  private static func openDoors(
    _ configuration: GatewayConfiguration, inherited: (ListenAddress) -> ListeningSocket?
  ) throws(GatewayError) -> [WorkerSetup.Door] {
    func socket(_ address: ListenAddress) throws(ListenError) -> ListeningSocket {
      if let open = inherited(address) { return open }
      return try ListeningSocket(SocketAddress(address))
    }
    do throws(ListenError) {
      var doors: [WorkerSetup.Door] = []
      for provider in configuration.providers {
        doors.append(WorkerSetup.Door(kind: .provider(provider), socket: try socket(provider.listen)))
      }
      if let device = configuration.device {
        doors.append(WorkerSetup.Door(kind: .device(device), socket: try socket(device.listen)))
      }
      return doors
    } catch {
      throw GatewayError("\(error)")
    }
  }

  /// Names this boot of the machine; ledger time goes on by the boot clock only within one.
  private static func readBootID() -> String {
    let descriptor = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return "" }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = read(descriptor, &bytes, bytes.count)
    return String(decoding: bytes.prefix(max(0, count)).filter { $0 > 0x20 }, as: UTF8.self)
  }
}

extension SocketAddress {
  init(_ address: ListenAddress) {
    switch address {
    case .tcp(let host, let port): self = .tcp(host: host, port: port)
    case .unix(let path): self = .unix(path: path)
    }
  }
}
