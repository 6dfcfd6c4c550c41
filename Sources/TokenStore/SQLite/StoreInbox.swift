import Glibc
import Synchronization
import TokenStore

/// The store thread's mailbox: batches in, in order; and the order to end.
final class StoreInbox: Sendable {
  /// Until when an ending store may go on trying; nil is for ever.
  struct Ending: Equatable { var giveUpAt: ContinuousClock.Instant? }

  struct Intake {
    var batches: [StoreBatch] = []
    var ending: Ending?
    var pageLimit: Int?
    /// What others have found broken.
    var damage: String?
  }

  private struct State {
    var intake = Intake()
    var isClosed = false
    var left = 0

    mutating func takeAll() -> Intake {
      let taken = intake
      intake.batches = []
      intake.pageLimit = nil
      return taken
    }
  }

  private let state = Monitor(State())
  /// Bytes that were appended and are not durable yet.
  private let bytes = Atomic<Int>(0)

  /// After the end: how many batches were appended before it and are not durable.
  var leftUndurable: Int { state.locked { $0.left } }

  /// Since when the store thread has been busy with one thing, in nanoseconds of the monotonic clock; 0 while it waits.
  private let busySince = Atomic<UInt64>(0)

  /// The store thread begins something that the disk may hold up, or has ended it.
  func setBusy(_ isBusy: Bool) { busySince.store(isBusy ? Self.monotonicNanoseconds() : 0, ordering: .relaxed) }

  /// How long the store thread has been busy with one and the same thing.
  var busyTime: Duration {
    let since = busySince.load(ordering: .relaxed)
    let now = Self.monotonicNanoseconds()
    return since == 0 || now <= since ? .zero : .nanoseconds(Int64(clamping: now - since))
  }

  private static func monotonicNanoseconds() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }

  var pendingBytes: Int { bytes.load(ordering: .relaxed) }

  /// Never blocks longer than it takes the store thread to take an array.
  func append(_ batch: StoreBatch) {
    state.locked { state in
      guard !state.isClosed else { return }
      bytes.add(batch.byteCount, ordering: .relaxed)
      state.intake.batches.append(batch)
    }
  }

  /// What was taken out and is durable now.
  func settle(bytes count: Int) { bytes.subtract(count, ordering: .relaxed) }

  /// Asks the store to end. A second call may bring the end nearer, not move it away.
  func end(_ wish: Ending) {
    state.locked { state in
      let before = state.intake.ending?.giveUpAt
      if let before, let wished = wish.giveUpAt {
        state.intake.ending = Ending(giveUpAt: min(before, wished))
      } else {
        state.intake.ending = Ending(giveUpAt: wish.giveUpAt ?? before)
      }
    }
  }

  /// Somebody else has found the file broken.
  func report(damage cause: String) { state.locked { $0.intake.damage = $0.intake.damage ?? cause } }

  func limitPages(to count: Int) { state.locked { $0.intake.pageLimit = count } }

  /// Sleeps until there is something to do, then takes all of it.
  func waitForBatches() -> Intake {
    state.wait { state in
      let intake = state.intake
      return intake.batches.isEmpty && intake.ending == nil && intake.damage == nil ? nil : state.takeAll()
    }
  }

  /// Sleeps until the end is asked for.
  func waitForEnd() { state.wait { $0.intake.ending == nil ? nil : () } }

  /// Takes what is there without waiting.
  func poll() -> Intake { state.locked { $0.takeAll() } }

  /// Sleeps for so long, or until an order to end arrives that was not there before. New batches do not end it.
  func pause(for duration: Duration) {
    let before = state.locked { $0.intake.ending }
    state.wait(for: duration) { $0.intake.ending == before ? nil : () }
  }

  /// Nobody takes batches any more; later ones are dropped, and were never promised anything.
  /// - Parameter undurable: how many of those taken could not be committed.
  func close(leaving undurable: Int) {
    state.locked { state in
      state.isClosed = true
      state.left = undurable + state.intake.batches.count
      state.intake.batches = []
    }
  }
}

extension StoreBatch {
  /// What the batch holds in memory, roughly: its bytes and what each row costs beside them.
  var byteCount: Int {
    rows.reduce(records.count + trail.count + 128) { $0 + ($1.value?.count ?? 0) + 64 }
  }
}
