import Glibc
import Synchronization

/// The open connections of one admin daemon. When its places are nearly taken, the one that has been idle longest goes,
/// so that somebody who opens many and says little, or says it slowly, locks no operator out.
final class AdminConnections: Sendable {
  private struct Entry {
    /// Ours, for the same socket: the library closes its own before it says so, and the number may be anybody's then.
    var descriptor: Int32
    /// Since when it owes a whole request.
    var since: ContinuousClock.Instant
    /// The gateway works on its request: that one is nobody's fault.
    var isServed = false
    var isEnding = false
  }

  private struct State {
    var entries: [UInt: Entry] = [:]
    var nextNumber: UInt = 1
  }

  /// Places that are kept free.
  static let spare = 4

  private let limit: Int
  private let state = Mutex(State())

  init(limit: Int) { self.limit = limit }

  deinit { state.withLock { state in state.entries.values.forEach { close($0.descriptor) } } }

  /// - Returns: the connection's number; never 0.
  func began(_ descriptor: Int32) -> UInt {
    state.withLock { state in
      let number = state.nextNumber
      state.nextNumber += 1
      state.entries[number] = Entry(descriptor: fcntl(descriptor, F_DUPFD_CLOEXEC, 0), since: .now)
      let staying = state.entries.filter { !$0.value.isEnding }
      guard staying.count > limit - Self.spare else { return number }
      let idle = staying.filter { !$0.value.isServed && $0.key != number }
      guard let oldest = idle.min(by: { $0.value.since < $1.value.since }) else { return number }
      state.entries[oldest.key]?.isEnding = true
      shutdown(oldest.value.descriptor, Int32(SHUT_RDWR))
      return number
    }
  }

  func ended(_ number: UInt) {
    state.withLock { state in
      if let entry = state.entries.removeValue(forKey: number) { close(entry.descriptor) }
    }
  }

  /// The gateway begins to work on the connection's request, or has answered it.
  func serving(_ number: UInt, _ isServed: Bool) {
    state.withLock { state in
      state.entries[number]?.isServed = isServed
      if !isServed { state.entries[number]?.since = .now }
    }
  }
}
