import Synchronization

/// How many connections there are, on all loops together: of each address and in all. Also says which loop a new one goes
/// to, as the kernel wakes whichever it likes.
final class ConnectionRegister: Sendable {
  enum Admission: Equatable, Sendable {
    /// Counted, and to be served by this loop.
    case admitted(loop: Int)
    case tooManyOfAddress
    /// Someone idle must leave first.
    case full
  }

  private struct State: Sendable {
    var perAddress: [String: Int] = [:]
    var perLoop: [Int]
    /// Told to leave because the gateway was full, and not gone yet.
    var leaving = 0
  }

  private let state: Mutex<State>
  private let underWay = Atomic(0)

  init(loops: Int) { state = Mutex(State(perLoop: Array(repeating: 0, count: loops))) }

  /// Counts one connection more, if there is room.
  /// - Parameters:
  ///   - limit: connections in all; those that are leaving do not count.
  ///   - addressLimit: of one host; 0 = no limit.
  func admit(_ host: String, atMost limit: Int, perAddress addressLimit: Int) -> Admission {
    state.withLock { state in
      guard addressLimit == 0 || state.perAddress[host, default: 0] < addressLimit else { return .tooManyOfAddress }
      guard state.perLoop.reduce(0, +) - state.leaving < limit else { return .full }
      var least = 0
      for loop in state.perLoop.indices where state.perLoop[loop] < state.perLoop[least] { least = loop }
      state.perLoop[least] += 1
      state.perAddress[host, default: 0] += 1
      return .admitted(loop: least)
    }
  }

  /// TLS handshakes under way.
  var handshakes: Int { underWay.load(ordering: .relaxed) }
  func handshakeBegan() { underWay.wrappingAdd(1, ordering: .relaxed) }
  func handshakeEnded() { underWay.wrappingSubtract(1, ordering: .relaxed) }

  /// One is told to leave.
  /// - Returns: false if so many are leaving already that no more may be told.
  func beginLeaving(atMost limit: Int) -> Bool {
    state.withLock { state in
      guard state.leaving < limit else { return false }
      state.leaving += 1
      return true
    }
  }

  /// A connection that was counted is gone.
  func release(_ host: String, from loop: Int, wasLeaving: Bool) {
    state.withLock { state in
      state.perLoop[loop] -= 1
      if wasLeaving { state.leaving -= 1 }
      guard let count = state.perAddress[host] else { return }
      state.perAddress[host] = count > 1 ? count - 1 : nil
    }
  }
}
