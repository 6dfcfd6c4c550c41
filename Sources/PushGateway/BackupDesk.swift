import GatewayReports
import Synchronization
import TokenStoreSQLite

/// Makes copies of a running store, one at a time, on the thread of whoever asks.
final class BackupDesk: Sendable {
  private enum State { case free, copying, ended }

  private let database: String
  private let damageFound: @Sendable (_ cause: String) -> Void
  private let state = Mutex(State.free)

  /// - Parameter damageFound: called where a copy cannot be made because the store is broken, on the thread of whoever
  ///   asked for the copy.
  init(database: String, damageFound: @escaping @Sendable (_ cause: String) -> Void) {
    self.database = database
    self.damageFound = damageFound
  }

  /// The store is about to close: a copy that is being made is given up.
  func end() { state.withLock { $0 = .ended } }

  func copy() throws(AdminFailure) -> BackupFile {
    let before = state.withLock { state in
      defer { if state == .free { state = .copying } }
      return state
    }
    switch before {
    case .free: break
    case .copying: throw .unavailable("another backup is being made: wait for it to end")
    case .ended: throw .unavailable("the gateway is ending")
    }
    defer { state.withLock { if $0 == .copying { $0 = .free } } }
    do throws(StoreCopy.Failure) {
      let copy = try StoreCopy.make(of: database) { state.withLock { $0 == .ended } }
      return BackupFile(descriptor: copy.descriptor, bytes: copy.bytes)
    } catch {
      if case .failed(let cause) = error, cause.code.isDamage { damageFound(cause.description) }
      throw .unavailable("no backup was made: \(error)")
    }
  }
}
