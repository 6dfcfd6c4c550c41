/// A newcomer's way from loop to loop when the gateway is full: each says which of its idle connections would go first,
/// and the one that has the oldest of all makes room and takes the newcomer.
struct RoomSearch: Sendable {
  /// Who goes first: strangers, and of equals the one that was silent for longest.
  struct Rank: Comparable, Sendable {
    let isTrusted: Bool
    /// Boot milliseconds.
    let lastInput: Int64

    static func < (a: Rank, b: Rank) -> Bool {
      a.isTrusted == b.isTrusted ? a.lastInput < b.lastInput : !a.isTrusted
    }
  }

  enum Step: Equatable, Sendable {
    case ask(loop: Int)
    case makeRoom(loop: Int)
    /// Nobody is idle anywhere.
    case turnAway
  }

  let newcomer: Newcomer
  private let loops: Int
  private var isSecond = false
  private var asked = 0
  private var best: (loop: Int, rank: Rank)?

  init(for newcomer: Newcomer, among loops: Int) {
    self.newcomer = newcomer
    self.loops = loops
  }

  /// The same once more, for a newcomer that was sent to a loop which had given its place to another by then; nil the
  /// second time.
  var again: RoomSearch? {
    guard !isSecond else { return nil }
    var again = RoomSearch(for: newcomer, among: loops)
    again.isSecond = true
    return again
  }

  /// - Parameter rank: of the idle connection of `loop` that would go first; nil if none is idle.
  mutating func heard(_ rank: Rank?, of loop: Int) -> Step {
    asked += 1
    if let rank, best.map({ rank < $0.rank }) ?? true { best = (loop, rank) }
    if asked < loops { return .ask(loop: (loop + 1) % loops) }
    return best.map { .makeRoom(loop: $0.loop) } ?? .turnAway
  }
}
