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
    /// TLS handshakes under way, by loop.
    var handshakes: [Int]
    /// Newcomers for whom room is looked for.
    var searches = 0
  }

  private let state: Mutex<State>

  init(loops: Int) {
    state = Mutex(State(perLoop: Array(repeating: 0, count: loops), handshakes: Array(repeating: 0, count: loops)))
  }

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

  /// A TLS handshake began.
  /// - Parameter limit: how many there may be, on all loops together.
  /// - Returns: if there are more, the loop that has the most of them, to end its oldest.
  func handshakeBegan(on loop: Int, atMost limit: Int) -> Int? {
    state.withLock { state in
      state.handshakes[loop] += 1
      guard state.handshakes.reduce(0, +) > limit else { return nil }
      var most = loop
      for other in state.handshakes.indices where state.handshakes[other] > state.handshakes[most] { most = other }
      return most
    }
  }

  func handshakeEnded(on loop: Int) { state.withLock { $0.handshakes[loop] -= 1 } }

  /// Room is looked for on all loops. Until it is found a newcomer has a descriptor and counts for nothing else.
  /// - Returns: false if that is done for so many already that one more is turned away.
  func beginSearch(atMost limit: Int) -> Bool {
    state.withLock { state in
      guard state.searches < limit else { return false }
      state.searches += 1
      return true
    }
  }

  func endSearch() { state.withLock { $0.searches -= 1 } }

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
