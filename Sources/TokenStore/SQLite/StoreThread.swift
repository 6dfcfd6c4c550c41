import Synchronization
package import TokenStore

/// The journal on SQLite: a thread that owns the store and commits what is appended to it.
///
/// Everything appended while a commit was under way is the next transaction, so throughput does not depend on the
/// disk's fsync. A failed commit undoes nothing: its batches stay, in order, and are tried again until they succeed.
/// Who appends bounds the memory, by looking at `pendingBytes` before it accepts more work (design §6).
package final class StoreThread: Journal {
  package enum Outcome: Sendable, Equatable {
    /// Everything appended before the stop is durable.
    case finished
    /// The time was over. These batches were reported `failing` and never `durable`.
    case gaveUp(undurable: Int)
  }

  private let inbox = StoreInbox()
  private let thread: PosixThread
  private let isJoined = Mutex(false)

  /// Starts the thread; it owns `store` from here on.
  ///
  /// - Parameter reply: called on the store thread, for every transaction and for every failed try. It must not
  ///   block, and must not call `stop`.
  package init(
    running store: sending OpenedStore, retry: RetryDelay = RetryDelay(),
    reply: @escaping @Sendable (JournalReply) -> Void
  ) throws(StoreOpenError) {
    let path = store.database.path
    let inbox = inbox
    let checkpointer = try Checkpointer(path: path)
    let worker: StoreWorker
    do throws(DatabaseError) {
      worker = StoreWorker(
        try StoreWriter(store, checkpointer: checkpointer), inbox: inbox, delay: retry, reply: reply)
    } catch {
      checkpointer.end()
      throw .failed(error)
    }
    do throws(PosixThread.Refused) {
      // The closure dies on the thread and the database with it, so that a join means: closed.
      thread = try PosixThread { worker.run() }
    } catch {
      checkpointer.end()
      throw .noThread(path: path, cause: error.description)
    }
  }

  deinit {
    assert(isJoined.withLock { $0 }, "a store thread was let go of without being stopped")
  }

  package func append(_ batch: StoreBatch) { inbox.append(batch) }

  /// What was appended and is not durable yet, in bytes. May be read on any thread.
  package var pendingBytes: Int { inbox.pendingBytes }

  /// How long the thread has been busy with one and the same thing: with a commit, and what goes with it. Any thread may
  /// ask. A store whose disk answers with errors is never busy for long; one whose disk does not answer is.
  package var busyTime: Duration { inbox.busyTime }

  /// Somebody who read the store found it broken: it ends as though a commit had. May be called on any thread.
  package func report(damage cause: String) { inbox.report(damage: cause) }

  /// Commits what was appended before, moves the WAL into the database, closes it and waits for the thread's end.
  /// What is appended afterwards is dropped.
  ///
  /// - Parameter giveUpAfter: how long failed commits may still be tried again; nil waits until the disk heals. A
  ///   second call, from another thread, may shorten the wait of the first.
  @discardableResult
  package func stop(giveUpAfter: Duration? = nil) -> Outcome {
    inbox.end(StoreInbox.Ending(giveUpAt: giveUpAfter.map { ContinuousClock.now + $0 }))
    isJoined.withLock { joined in
      if !joined { thread.join() }
      joined = true
    }
    let left = inbox.leftUndurable
    return left == 0 ? .finished : .gaveUp(undurable: left)
  }

  /// The most pages that the database may have, from the next transaction on; for tests of a full disk.
  func limitPages(to count: Int) { inbox.limitPages(to: count) }
}
