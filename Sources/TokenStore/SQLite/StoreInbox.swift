import Glibc
import Synchronization
import TokenStore

/// The store thread's mailbox: batches in, in order; and the order to end.
///
/// `@unchecked Sendable`: POSIX says that a mutex and a condition may be used from any thread, and everything else
/// here is touched only while the mutex is held. A condition and not a `Mutex` from the standard library, because
/// the store thread sleeps in it.
final class StoreInbox: @unchecked Sendable {
  /// Until when an ending store may go on trying; nil is for ever.
  struct Ending { var giveUpAt: ContinuousClock.Instant? }

  struct Intake {
    var batches: [StoreBatch]
    var ending: Ending?
    var pageLimit: Int?
    /// What others have found broken.
    var damage: String?
  }

  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var batches: [StoreBatch] = []
  private var ending: Ending?
  private var pageLimit: Int?
  private var damage: String?
  private var isClosed = false
  private var left = 0
  private var isWaitingForBatches = false
  /// Bytes that were appended and are not durable yet.
  private let bytes = Atomic<Int>(0)

  init() {
    pthread_mutex_init(mutex, nil)
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    // Waiting must not depend on the wall clock, which operators move.
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(condition, &attributes)
    pthread_condattr_destroy(&attributes)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  /// After the end: how many batches were appended before it and are not durable.
  var leftUndurable: Int { locked { left } }

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
    locked {
      guard !isClosed else { return }
      bytes.add(batch.byteCount, ordering: .relaxed)
      batches.append(batch)
      if isWaitingForBatches { pthread_cond_signal(condition) }
    }
  }

  /// What was taken out and is durable now.
  func settle(bytes count: Int) { bytes.subtract(count, ordering: .relaxed) }

  /// Asks the store to end. A second call may bring the end nearer, not move it away.
  func end(_ wish: Ending) {
    locked {
      if let before = ending?.giveUpAt, let wished = wish.giveUpAt {
        ending = Ending(giveUpAt: min(before, wished))
      } else {
        ending = Ending(giveUpAt: wish.giveUpAt ?? ending?.giveUpAt)
      }
      pthread_cond_signal(condition)
    }
  }

  /// Somebody else has found the file broken.
  func report(damage cause: String) {
    locked {
      damage = damage ?? cause
      pthread_cond_signal(condition)
    }
  }

  func limitPages(to count: Int) { locked { pageLimit = count } }

  /// Sleeps until there is something to do, then takes all of it.
  func waitForBatches() -> Intake {
    locked {
      isWaitingForBatches = true
      while batches.isEmpty, ending == nil, damage == nil { pthread_cond_wait(condition, mutex) }
      isWaitingForBatches = false
      return takeAll()
    }
  }

  /// Sleeps until the end is asked for.
  func waitForEnd() {
    locked { while ending == nil { pthread_cond_wait(condition, mutex) } }
  }

  /// Takes what is there without waiting.
  func poll() -> Intake { locked { takeAll() } }

  /// Sleeps until `instant`, or until an order to end arrives that was not there before. New batches do not wake it.
  func pause(for duration: Duration) {
    locked {
      let before = ending
      var deadline = timespec()
      clock_gettime(CLOCK_MONOTONIC, &deadline)
      let (seconds, attoseconds) = duration.components
      deadline.tv_sec += Int(seconds)
      deadline.tv_nsec += Int(attoseconds / 1_000_000_000)
      if deadline.tv_nsec >= 1_000_000_000 {
        deadline.tv_sec += 1
        deadline.tv_nsec -= 1_000_000_000
      }
      while ending?.giveUpAt == before?.giveUpAt, (ending == nil) == (before == nil) {
        if pthread_cond_timedwait(condition, mutex, &deadline) == ETIMEDOUT { return }
      }
    }
  }

  /// Nobody takes batches any more; later ones are dropped, and were never promised anything.
  /// - Parameter undurable: how many of those taken could not be committed.
  func close(leaving undurable: Int) {
    locked {
      isClosed = true
      left = undurable + batches.count
      batches = []
    }
  }

  private func takeAll() -> Intake {
    let intake = Intake(batches: batches, ending: ending, pageLimit: pageLimit, damage: damage)
    batches = []
    pageLimit = nil
    return intake
  }

  private func locked<Value>(_ body: () -> Value) -> Value {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return body()
  }
}

extension StoreBatch {
  /// What the batch holds in memory, roughly: its bytes and what each row costs beside them.
  var byteCount: Int {
    rows.reduce(records.count + trail.count + 128) { $0 + ($1.value?.count ?? 0) + 64 }
  }
}
