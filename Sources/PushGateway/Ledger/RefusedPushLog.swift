import GatewayCore
import Synchronization

/// The refused pushes of all loops, for `explain`. Shared, since an accepted push never comes here. What is asked for is
/// picked out under the lock: a copy to search in would have to be copied again by the next push that is refused.
final class RefusedPushLog: Sendable {
  private let pushes: Mutex<RefusedPushes>

  init(capacity: Int) { pushes = Mutex(RefusedPushes(capacity: capacity)) }

  func record(_ push: RefusedPush, hasCredential: Bool) {
    pushes.withLock { $0.record(push, hasCredential: hasCredential) }
  }

  func resize(to capacity: Int) { pushes.withLock { $0.resize(to: capacity) } }

  /// As ``RefusedPushes/refused(last:where:)``.
  func refused(last count: Int, where isWanted: (RefusedPush) -> Bool = { _ in true }) -> [RefusedPush] {
    pushes.withLock { $0.refused(last: count, where: isWanted) }
  }

  /// As ``RefusedPushes/strange(last:where:)``.
  func strange(last count: Int = .max, where isWanted: (RefusedPush) -> Bool = { _ in true }) -> [RefusedPush] {
    pushes.withLock { $0.strange(last: count, where: isWanted) }
  }
}
