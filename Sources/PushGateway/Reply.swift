import Dispatch
import Synchronization

/// Where one thread waits for what another one says, once.
final class Reply<Value: Sendable>: Sendable {
  private let value = Mutex<Value?>(nil)
  private let arrived = DispatchSemaphore(value: 0)

  /// The first value counts.
  func give(_ new: Value) {
    let isFirst = value.withLock { value in
      guard value == nil else { return false }
      value = new
      return true
    }
    if isFirst { arrived.signal() }
  }

  /// - Returns: nil when the time is over. nil as limit waits for ever.
  func wait(for limit: Duration? = nil) -> Value? {
    if let limit {
      let (seconds, attoseconds) = limit.components
      let nanoseconds = Int(clamping: seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)
      guard arrived.wait(timeout: .now() + .nanoseconds(nanoseconds)) == .success else { return nil }
    } else {
      arrived.wait()
    }
    arrived.signal()
    return value.withLock { $0 }
  }
}
