import TokenStore

/// The store thread's work: takes what has arrived, commits it as one transaction, says so; and keeps what could not
/// be committed until it can.
final class StoreWorker {
  private let inbox: StoreInbox
  private let reply: @Sendable (JournalReply) -> Void
  private let writer: StoreWriter
  private var delay: RetryDelay
  private let clock = ContinuousClock()
  /// Taken from the inbox and not durable yet, in order.
  private var undurable: [StoreBatch] = []
  /// The most batches of the next transaction. Halved by each failure, so that one batch which cannot be committed
  /// holds up only those behind it.
  private var groupLimit = Int.max
  private var isDamaged = false

  init(
    _ writer: StoreWriter, inbox: StoreInbox, delay: RetryDelay, reply: @escaping @Sendable (JournalReply) -> Void
  ) {
    self.writer = writer
    self.inbox = inbox
    self.delay = delay
    self.reply = reply
  }

  /// Returns when the end was asked for and everything is durable, or the time for it is over.
  func run() {
    PosixThread.nameCurrent("gateway-store")
    while true {
      let intake = undurable.isEmpty ? inbox.waitForBatches() : inbox.poll()
      undurable.append(contentsOf: intake.batches)
      if let limit = intake.pageLimit { try? writer.limitPages(to: limit) }
      if let damage = intake.damage {
        giveUp(over: damage)
        break
      }
      if undurable.isEmpty, intake.ending != nil { break }
      let count = min(undurable.count, groupLimit)
      do throws(DatabaseError) {
        inbox.setBusy(true)
        defer { inbox.setBusy(false) }
        try writer.write(undurable[..<count])
        succeed(count)
      } catch {
        if error.code.isDamage {
          giveUp(over: error.description)
          break
        }
        fail(count, with: error)
        if let end = intake.ending?.giveUpAt, clock.now >= end { break }
        inbox.pause(for: pause(until: intake.ending?.giveUpAt))
      }
    }
    inbox.close(leaving: undurable.count)
    writer.end(emptyingWAL: !isDamaged)
  }

  private func succeed(_ count: Int) {
    let newest = undurable[count - 1].sequence
    inbox.settle(bytes: undurable[..<count].reduce(0) { $0 + $1.byteCount })
    undurable.removeFirst(count)
    reply(.durable(sequence: newest))
    groupLimit = .max
    delay.reset()
    writer.checkpointIfDue()
  }

  private func fail(_ count: Int, with error: DatabaseError) {
    groupLimit = max(1, count / 2)
    reply(.failing(sequence: undurable[0].sequence, cause: error.description))
  }

  /// No transaction is tried again: one that succeeds by luck would be an answer out of a broken file. The next start
  /// is told to look at all of it.
  private func giveUp(over damage: String) {
    isDamaged = true
    DamageMark(besides: writer.path).put(damage)
    reply(.damaged(cause: damage))
    inbox.waitForEnd()
  }

  private func pause(until end: ContinuousClock.Instant?) -> Duration {
    let wait = delay.next()
    guard let end else { return wait }
    return min(wait, max(.zero, end - clock.now))
  }
}
