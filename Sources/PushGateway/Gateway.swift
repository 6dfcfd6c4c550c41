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
  private let threads: GatewayThreads
  let backups: BackupDesk
  let reloads = ReloadRecord()
  private let reloading = Mutex(())
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
    _ = try ProviderKeys(configuration.providerKeys)
    let doors = try Self.openDoors(configuration, inherited: inherited)
    let (ledger, loops) = try GatewayThreads.mailboxes(loops: configuration.loops)
    let backups = BackupDesk(database: configuration.store.database) { cause in
      ledger.postAlways(.perform { $0.store.report(damage: cause) })
    }
    self.backups = backups
    database = configuration.store.database
    let setup = WorkerSetup(
      configuration: configuration, tls: tls, doors: doors, bootID: Self.readBootID(), log: log,
      register: ConnectionRegister(loops: loops.count),
      refusedPushes: RefusedPushLog(capacity: configuration.explain.refusedPushes))
    threads = try GatewayThreads(setup, ledger: ledger, loops: loops, backups: backups)
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
    threads.tell { worker in
      worker.drain(for: (duration ?? worker.configuration.drain).wholeMilliseconds)
    } loops: { worker in
      worker.drain(for: (duration ?? worker.configuration.drain).wholeMilliseconds)
    }
  }

  /// Ends at once. What was accepted is still made durable, unless the store cannot.
  public func stop() {
    beginStop()
    waitUntilEnded()
  }

  /// As ``stop()``, without waiting for its end.
  public func beginStop() {
    threads.tell {
      $0.drain(for: 0)
    } loops: {
      $0.end()
    }
  }

  /// Returns when the gateway has ended, whoever ended it.
  /// - Returns: whether the store took all that was waiting for it. What it did not take was not answered either.
  @discardableResult
  public func waitUntilEnded() -> Bool { threads.waitUntilEnded() }

  // MARK: Changes

  /// Takes over what may change while running: certificate, keys, client CAs, enrolment keys, budgets, developer mode, checks and
  /// limits. All or nothing: when something is wrong, everything stays as it was.
  public func reload(_ configuration: GatewayConfiguration) throws(GatewayError) {
    try reload(configuration, within: .seconds(30))
  }

  /// - Parameter limit: how long the threads may take to begin with it.
  func reload(_ configuration: GatewayConfiguration, within limit: Duration) throws(GatewayError) {
    // One after the other, since each is told to several threads.
    let result = reloading.withLock { _ in
      Result { () throws(GatewayError) in try adopt(configuration, within: limit) }
    }
    try result.get()
  }

  private func adopt(_ configuration: GatewayConfiguration, within limit: Duration) throws(GatewayError) {
    let tls = try ServerTLS(configuration)
    // Each loop reads keys of its own; what is wrong with one is found here.
    _ = try ProviderKeys(configuration.providerKeys)
    // All turn, or nobody is told: a change of mind must not come after its refusal.
    guard isTurning(asking: limit) else {
      throw GatewayError(
        "the gateway did not take the new configuration within \(limit.components.seconds) s: it is overloaded or stuck"
      )
    }
    let adopted = Reply<GatewayError?>()
    threads.ledger.postAlways(
      .perform { worker in
        worker.adopt(configuration)
        adopted.give(nil)
      })
    let done = threads.loops.map { loop in
      let done = Reply<GatewayError?>()
      loop.postAlways(
        .perform { worker in
          do throws(GatewayError) {
            worker.adopt(configuration, tls: tls, keys: try ProviderKeys(configuration.providerKeys))
            done.give(nil)
          } catch {
            done.give(error)
          }
        })
      return done
    }
    for reply in [adopted] + done {
      if let failure = try outcome(of: reply) { throw failure }
    }
  }

  /// What was posted is done, unless the gateway ends first.
  private func outcome(of reply: Reply<GatewayError?>) throws(GatewayError) -> GatewayError? {
    while true {
      if let outcome = reply.wait(for: .seconds(1)) { return outcome }
      if threads.hasEnded { throw GatewayError("the gateway has ended, and takes no new configuration") }
    }
  }

  /// What became of a reload, for `status` and the metrics.
  /// - Parameter problems: what was broken, so that everything stayed as it was; empty for one that succeeded.
  package func noteReload(problems: [String]) { reloads.note(problems: problems) }

  /// Whether every loop, the ledger and the store thread really turn. A store whose disk answers with errors turns; one
  /// whose disk has not answered for `patience` does not.
  package func isTurning(within patience: Duration) -> Bool {
    isTurning(asking: .seconds(1)) { $0.store.busyTime < patience }
  }

  private func isTurning(
    asking limit: Duration, _ isWell: @escaping @Sendable (LedgerWorker) -> Bool = { _ in true }
  ) -> Bool {
    do throws(AdminFailure) {
      _ = try loopFigures(within: limit)
      return try ask(within: limit) { .success(isWell($0)) }
    } catch {
      return false
    }
  }

  // MARK: Questions

  /// Asks something on the ledger's thread and waits for the answer.
  /// - Throws: ``AdminFailure`` 503 when it does not answer in time.
  func ask<Answer: Sendable>(
    within limit: Duration = .seconds(5), _ question: @escaping @Sendable (LedgerWorker) -> Result<Answer, AdminFailure>
  ) throws(AdminFailure) -> Answer {
    let reply = Reply<Result<Answer, AdminFailure>>()
    guard threads.ledger.post(.perform { reply.give(question($0)) }) else {
      throw .unavailable("the gateway is overloaded")
    }
    return try answer(of: reply, within: limit)
  }

  /// As ``ask(within:_:)``; the answer arrives once all that it decided is durable.
  func command<Answer: Sendable>(
    _ body: @escaping @Sendable (LedgerWorker) -> Result<Answer, AdminFailure>
  ) throws(AdminFailure) -> Answer {
    let reply = Reply<Result<Answer, AdminFailure>>()
    let isPosted = threads.ledger.post(
      .perform { worker in
        guard worker.isStoreReady else { return reply.give(.failure(.unavailable("the store cannot commit"))) }
        let answer = body(worker)
        worker.commits.current.notices.append { reply.give(answer) }
      })
    guard isPosted else { throw .unavailable("the gateway is overloaded") }
    return try answer(of: reply, within: .seconds(5))
  }

  /// Asks something on each loop and waits for all answers.
  func askLoops<Answer: Sendable>(
    within limit: Duration = .seconds(5), _ question: @escaping @Sendable (LoopWorker) -> Answer
  ) throws(AdminFailure) -> [Answer] {
    var replies: [Reply<Result<Answer, AdminFailure>>] = []
    for loop in threads.loops {
      let reply = Reply<Result<Answer, AdminFailure>>()
      guard loop.post(.perform { reply.give(.success(question($0))) }) else {
        throw .unavailable("the gateway is overloaded")
      }
      replies.append(reply)
    }
    var answers: [Answer] = []
    for reply in replies { answers.append(try answer(of: reply, within: limit)) }
    return answers
  }

  /// What all loops say together.
  func loopFigures(within limit: Duration = .seconds(5)) throws(AdminFailure) -> LoopFigures {
    try askLoops(within: limit) { $0.figures }.reduce(into: LoopFigures()) { $0.add($1) }
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
