import GatewayCore
import Synchronization

/// The refused pushes of all loops, for `explain`. Shared, since an accepted push never comes here.
final class RefusedPushLog: Sendable {
  private let pushes: Mutex<RefusedPushes>

  init(capacity: Int) { pushes = Mutex(RefusedPushes(capacity: capacity)) }

  func record(_ push: RefusedPush, hasCredential: Bool) {
    pushes.withLock { $0.record(push, hasCredential: hasCredential) }
  }

  func resize(to capacity: Int) { pushes.withLock { $0.resize(to: capacity) } }

  /// As they are now; nobody waits while they are searched.
  var snapshot: RefusedPushes { pushes.withLock { $0 } }
}
