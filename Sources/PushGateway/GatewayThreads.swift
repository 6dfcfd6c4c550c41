import GatewayCore
import GatewayIO
import TokenStore
import TokenStoreSQLite

/// The threads of a running gateway: one loop that does everything, or the ledger's and one for each of several loops.
final class GatewayThreads: Sendable {
  /// What a loop must know of the ledger that it asks.
  private struct Beginning: Sendable {
    var clock: LedgerClock
    var epoch: UInt64
  }

  let ledger: Mailbox<LedgerMessage>
  let loops: [Mailbox<LoopMessage>]
  private let threads: [LoopThread]
  private let ended: Reply<Bool>

  /// Makes the mailboxes, so that others may be given them before anything runs.
  static func mailboxes(
    loops: Int
  ) throws(GatewayError) -> (ledger: Mailbox<LedgerMessage>, loops: [Mailbox<LoopMessage>]) {
    do throws(SystemCallError) {
      var mailboxes: [Mailbox<LoopMessage>] = []
      for _ in 0..<loops { mailboxes.append(try Mailbox(capacity: 1 << 16)) }
      return (try Mailbox(capacity: 1 << 16), mailboxes)
    } catch {
      throw GatewayError("no mailbox for the event loop: \(error)")
    }
  }

  /// Returns when everything serves.
  /// - Throws: what kept it from that; nothing runs then.
  init(
    _ setup: WorkerSetup, ledger: Mailbox<LedgerMessage>, loops: [Mailbox<LoopMessage>], backups: BackupDesk
  ) throws(GatewayError) {
    self.ledger = ledger
    self.loops = loops
    let ended = Reply<Bool>()
    self.ended = ended
    let isShared = loops.count == 1
    let began = Reply<Result<Beginning, GatewayError>>()
    var threads = [
      try Self.thread(named: isShared ? "gateway-loop" : "gateway-ledger") {
        Self.runLedger(setup, ledger, loops, backups, began: began, ended: ended)
      }
    ]
    let beginning: Beginning
    do throws(GatewayError) {
      guard let result = began.wait() else { throw GatewayError("the ledger's thread did not begin") }
      beginning = try result.get()
    } catch {
      threads[0].join()
      throw error
    }
    if !isShared {
      do throws(GatewayError) {
        for index in loops.indices {
          threads.append(try Self.startLoop(index, setup, ledger, loops, beginning))
        }
        try Self.beginAccepting(loops)
      } catch {
        let running = threads.count - 1
        for loop in loops[..<running] { loop.postAlways(.perform { $0.end() }) }
        for _ in running..<loops.count { ledger.postAlways(.loopEnded) }
        ledger.postAlways(.perform { $0.drain(for: 0) })
        threads.forEach { $0.join() }
        throw error
      }
    }
    self.threads = threads
  }

  /// Tells all threads something to do.
  func tell(_ body: @escaping @Sendable (LedgerWorker) -> Void, loops other: @escaping @Sendable (LoopWorker) -> Void) {
    ledger.postAlways(.perform(body))
    for loop in loops { loop.postAlways(.perform(other)) }
  }

  /// - Returns: whether the store took all that was waiting for it.
  func waitUntilEnded() -> Bool {
    let isWhole = ended.wait() ?? false
    threads.forEach { $0.join() }
    return isWhole
  }

  /// All at once, since a connection that one accepts may be another's to serve.
  private static func beginAccepting(_ loops: [Mailbox<LoopMessage>]) throws(GatewayError) {
    let replies = loops.map { loop in
      let reply = Reply<GatewayError?>()
      loop.postAlways(
        .perform { worker in
          do throws(GatewayError) {
            try worker.beginAccepting()
            reply.give(nil)
          } catch {
            reply.give(error)
          }
        })
      return reply
    }
    for reply in replies {
      if case .some(.some(let failure)) = reply.wait() { throw failure }
    }
  }

  /// Whether the ledger has ended, and nothing more is answered.
  var hasEnded: Bool { ended.wait(for: .zero) != nil }

  // MARK: On the threads

  private static func thread(
    named name: String, _ body: sending @escaping () -> Void
  ) throws(GatewayError) -> LoopThread {
    do throws(SystemCallError) {
      return try LoopThread(name: name, body)
    } catch {
      throw GatewayError("no thread for \(name): \(error)")
    }
  }

  private static func runLedger(
    _ setup: WorkerSetup, _ inbox: Mailbox<LedgerMessage>, _ loops: [Mailbox<LoopMessage>], _ backups: BackupDesk,
    began: Reply<Result<Beginning, GatewayError>>, ended: Reply<Bool>
  ) {
    do throws(GatewayError) {
      let loop = try eventLoop()
      // A loop and what is registered in it hold each other until it has run to its end.
      defer { releaseUnlessRun(loop) }
      let worker = try LedgerWorker(setup, inbox: inbox, loop: loop)
      let beginning = Beginning(clock: worker.clock, epoch: worker.ledger.epoch)
      if loops.count == 1 {
        try share(loop, worker, setup, loops[0], beginning)
      } else {
        worker.loops.connect(to: loops)
        loop.turnObserver = LedgerTurns(worker)
      }
      began.give(.success(beginning))
      loop.run()
      backups.end()
      ended.give(worker.leave())
    } catch {
      began.give(.failure(error))
    }
    // They answered questions until the end.
    for loop in loops { loop.postAlways(.perform { $0.loop.stop() }) }
  }

  /// Ledger and connections on one loop.
  private static func share(
    _ loop: EventLoop, _ ledger: LedgerWorker, _ setup: WorkerSetup, _ inbox: Mailbox<LoopMessage>,
    _ beginning: Beginning
  ) throws(GatewayError) {
    do throws(GatewayError) {
      let connections = try LoopWorker(
        setup, index: 0, loop: loop, ledger: LedgerPort(ledger), clock: beginning.clock, epoch: beginning.epoch,
        siblings: [nil])
      try attach(inbox, to: connections)
      try connections.beginAccepting()
      ledger.loops.connect(to: connections)
      loop.turnObserver = SharedTurns(ledger, connections)
    } catch {
      ledger.store.stop(giveUpAfter: .zero)
      throw error
    }
  }

  private static func startLoop(
    _ index: Int, _ setup: WorkerSetup, _ ledger: Mailbox<LedgerMessage>, _ loops: [Mailbox<LoopMessage>],
    _ beginning: Beginning
  ) throws(GatewayError) -> LoopThread {
    let began = Reply<GatewayError?>()
    let thread = try thread(named: "gateway-loop-\(index)") {
      do throws(GatewayError) {
        let loop = try eventLoop()
        defer { releaseUnlessRun(loop) }
        var siblings = loops.map { Optional($0) }
        siblings[index] = nil
        let worker = try LoopWorker(
          setup, index: index, loop: loop, ledger: LedgerPort(ledger, gate: setup.gate), clock: beginning.clock,
          epoch: beginning.epoch, siblings: siblings)
        try attach(loops[index], to: worker)
        loop.turnObserver = LoopTurns(worker)
        began.give(nil)
        loop.run()
      } catch {
        began.give(error)
      }
    }
    if case .some(.some(let failure)) = began.wait() {
      thread.join()
      throw failure
    }
    return thread
  }

  private static func releaseUnlessRun(_ loop: EventLoop) {
    loop.stop()
    loop.run()
  }

  private static func eventLoop() throws(GatewayError) -> EventLoop {
    do throws(SystemCallError) {
      return try EventLoop()
    } catch {
      throw GatewayError("the event loop cannot start: \(error)")
    }
  }

  private static func attach(_ inbox: Mailbox<LoopMessage>, to worker: LoopWorker) throws(GatewayError) {
    do throws(SystemCallError) {
      try worker.loop.attach(inbox, to: worker)
    } catch {
      throw GatewayError("the event loop cannot start: \(error)")
    }
  }
}
