import GatewayCore
import Glibc
import Synchronization

/// Lines on their way from the threads that write them to the one thread that may wait for whoever reads them.
///
/// `@unchecked Sendable`: POSIX says that a mutex and a condition may be used from any thread, and everything else here is
/// touched only while the mutex is held.
final class LogQueue: @unchecked Sendable {
  /// What waits at most; more is counted and lost.
  struct Room: Sendable {
    var lines = 10_000
    var bytes = 4 << 20
  }

  struct Batch {
    var lines: [LogLine]
    /// Lines that found no room after these.
    var lost: Int
    var isEnding: Bool
  }

  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private let room: Room
  private var lines: [LogLine] = []
  private var bytes = 0
  private var lost = 0
  private var lostEver = 0
  private var isEnding = false
  /// The writer has lines in its hands.
  private var isWriting = false

  init(room: Room) {
    self.room = room
    pthread_mutex_init(mutex, nil)
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(changed, &attributes)
    pthread_condattr_destroy(&attributes)
  }

  deinit {
    pthread_cond_destroy(changed)
    pthread_mutex_destroy(mutex)
    changed.deallocate()
    mutex.deallocate()
  }

  /// Lines that were lost since the start.
  var linesLost: Int { locked { lostEver } }

  /// Never waits for a reader.
  func append(_ line: LogLine) {
    locked {
      guard !isEnding, lines.count < room.lines, bytes + line.byteCount <= room.bytes else {
        lost += 1
        lostEver += 1
        return
      }
      bytes += line.byteCount
      lines.append(line)
      if lines.count == 1 { pthread_cond_broadcast(changed) }
    }
  }

  /// Sleeps until there is something to write, or the end.
  func take() -> Batch {
    locked {
      isWriting = false
      pthread_cond_broadcast(changed)
      while lines.isEmpty, lost == 0, !isEnding { pthread_cond_wait(changed, mutex) }
      defer {
        lines = []
        bytes = 0
        lost = 0
        isWriting = true
      }
      return Batch(lines: lines, lost: lost, isEnding: isEnding)
    }
  }

  /// Waits until everything is written, or the time is over.
  func flush(within limit: Duration) {
    locked {
      var deadline = timespec()
      clock_gettime(CLOCK_MONOTONIC, &deadline)
      let (seconds, attoseconds) = limit.components
      deadline.tv_sec += Int(seconds)
      deadline.tv_nsec += Int(attoseconds / 1_000_000_000)
      if deadline.tv_nsec >= 1_000_000_000 {
        deadline.tv_sec += 1
        deadline.tv_nsec -= 1_000_000_000
      }
      while !lines.isEmpty || lost > 0 || isWriting {
        if pthread_cond_timedwait(changed, mutex, &deadline) == ETIMEDOUT { return }
      }
    }
  }

  /// Takes nothing more; the writer ends when it has written what is there.
  func end() {
    locked {
      isEnding = true
      pthread_cond_broadcast(changed)
    }
  }

  private func locked<Value>(_ body: () -> Value) -> Value {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return body()
  }
}
