import BudgetThrottle
import GatewayCore
import GatewayIO
import TokenStore
import TokenStoreSQLite

/// Opens the store, begins its epoch and reads it back into a ledger. Everything that can be wrong with a store is
/// said here, before anything is served.
struct StoreLoader {
  let configuration: GatewayConfiguration
  let bootID: String

  /// A ledger as the store had it, the clock that goes on where the store stopped, and the thread that owns the store
  /// from here on. The store is open, and locked, from before it is read until the thread ends.
  struct Loaded {
    var ledger: Ledger
    var clock: LedgerClock
    var thread: StoreThread
    var origin: StoreOrigin
    /// Rows of the trail that could not be read; what they explained is lost, and nothing else.
    var damagedTrailRows: Int
  }

  /// - Parameter inbox: hears what the store thread replies.
  func load(at now: LoopClock, replyingTo inbox: Mailbox<LedgerMessage>) throws(GatewayError) -> Loaded {
    do {
      let store = try StoreOpener.open(
        path: configuration.store.database, durability: configuration.store.durability)
      // Wall seconds: an epoch that a restored backup has already given out must not come again.
      let epoch = try store.beginEpoch(atLeast: UInt64(max(1, now.wallMilliseconds / 1000)))
      let clock = LedgerClock(continuing: store.lastClock, bootID: bootID, now: now)
      let ledger = Ledger(rules: LedgerRules(configuration), epoch: epoch, following: store.lastSequence)
      let damagedTrailRows = try Self.read(store, into: ledger, at: clock.time(now))
      // What read the store above borrowed it for the length of a call and kept nothing of it, which the compiler cannot
      // see across a closure. From here on only the thread has it.
      let origin = store.origin
      nonisolated(unsafe) let handedOver = store
      let thread = try StoreThread(running: handedOver) { inbox.postAlways(.journal($0)) }
      return Loaded(
        ledger: ledger, clock: clock, thread: thread, origin: origin, damagedTrailRows: damagedTrailRows)
    } catch let error as Ledger.RestoreError {
      throw GatewayError(
        "\(configuration.store.database) is damaged: \(error). Restore a backup; nothing was changed.")
    } catch {
      throw GatewayError("\(error)")
    }
  }

  /// - Returns: how many rows of the trail could not be read.
  static func read(_ store: OpenedStore, into ledger: Ledger, at now: LedgerTime) throws -> Int {
    var restore = Ledger.Restore(into: ledger)
    restore.makeRoom(
      devices: try store.rowCount(of: .device), registrations: try store.rowCount(of: .registration))
    for table in Ledger.restoreOrder {
      try store.forEachRow(of: table) { id, asOf, value in try restore.row(table, id: id, asOf: asOf, value) }
    }
    try store.forEachJournalEntry { sequence, _, records in try restore.journal(sequence: sequence, records) }
    var damagedTrailRows = 0
    try store.forEachTrailRow { position, entries in
      if !restore.trail(position: position, entries) { damagedTrailRows += 1 }
    }
    restore.finish(at: now)
    return damagedTrailRows
  }
}

extension LedgerRules {
  init(_ configuration: GatewayConfiguration) {
    self.init(
      budget: configuration.budget, developerMode: configuration.developerMode,
      lowPriorityWindow: configuration.delivery.lowPriorityWindow.wholeMilliseconds,
      retention: configuration.delivery.retention.wholeMilliseconds,
      pushesPerTokenPerMinute: configuration.checks.pushesPerTokenPerMinute,
      explain: ExplainRules(configuration))
  }
}

extension ExplainRules {
  init(_ configuration: GatewayConfiguration) {
    self.init(
      production: configuration.explain.production, decisions: configuration.explain.decisions,
      retention: configuration.explain.retention.wholeMilliseconds)
  }
}

extension Duration {
  /// Rounded down; saturated.
  var wholeMilliseconds: Int64 {
    let (seconds, overflow) = components.seconds.multipliedReportingOverflow(by: 1000)
    return overflow ? .max : seconds + components.attoseconds / 1_000_000_000_000_000
  }
}
