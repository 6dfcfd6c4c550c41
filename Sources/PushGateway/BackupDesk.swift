import GatewayReports
import Synchronization
import TokenStoreSQLite

/// Makes copies of a running store, one at a time, on the thread of whoever asks.
final class BackupDesk: Sendable {
  private enum State { case free, copying, ended }

  private let database: String
  private let state = Mutex(State.free)

  init(database: String) { self.database = database }

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
      throw .unavailable("no backup was made: \(error)")
    }
  }
}
