import Glibc

/// A state that threads change in turn, and sleep on until it is as they want it. For threads that may block.
///
/// `@unchecked Sendable`: POSIX says that a mutex and a condition may be used from any thread, and the state is touched
/// only while the mutex is held. Not a `Mutex` from the standard library, because nobody can sleep in one.
final class Monitor<State>: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var state: State
  private var sleepers = 0

  init(_ state: sending State) {
    self.state = state
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

  /// Looks or changes, in an instant; who sleeps looks again.
  func locked<Value>(_ body: (inout State) -> Value) -> Value {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    defer { if sleepers > 0 { pthread_cond_broadcast(condition) } }
    return body(&state)
  }

  /// Sleeps until `body` has something.
  @discardableResult
  func wait<Value>(_ body: (inout State) -> Value?) -> Value {
    asleep {
      while true {
        if let value = body(&state) { return value }
        pthread_cond_wait(condition, mutex)
      }
    }
  }

  /// Sleeps until `body` has something, or the time is over.
  @discardableResult
  func wait<Value>(for duration: Duration, _ body: (inout State) -> Value?) -> Value? {
    var deadline = Self.deadline(after: duration)
    return asleep {
      while true {
        if let value = body(&state) { return value }
        if pthread_cond_timedwait(condition, mutex, &deadline) == ETIMEDOUT { return body(&state) }
      }
    }
  }

  private func asleep<Value>(_ body: () -> Value) -> Value {
    pthread_mutex_lock(mutex)
    sleepers += 1
    defer {
      sleepers -= 1
      pthread_mutex_unlock(mutex)
    }
    return body()
  }

  private static func deadline(after duration: Duration) -> timespec {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    let (seconds, attoseconds) = duration.components
    time.tv_sec += Int(seconds)
    time.tv_nsec += Int(attoseconds / 1_000_000_000)
    if time.tv_nsec >= 1_000_000_000 {
      time.tv_sec += 1
      time.tv_nsec -= 1_000_000_000
    }
    return time
  }
}
