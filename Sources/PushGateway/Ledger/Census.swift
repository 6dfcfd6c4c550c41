import GatewayCore

/// Counts widgets by what they wait for. A walk over a million registrations would hold the ledger up for longer than a
/// push should wait, so a large ledger is counted in slices, and what is told is the last count that was finished.
struct Census {
  struct Counts {
    var widgets = 0
    var waiting = 0
    var inFlight = 0

    mutating func add(_ registration: RegistrationState) {
      widgets += registration.accounts.count
      waiting += registration.waitingCount
      inFlight += registration.inFlightCount
    }
  }

  /// Registrations that are counted at once.
  static let slice = 5000
  /// Milliseconds between two slices, and how old a count may become before somebody's question begins a new one.
  static let pause: Int64 = 20
  private static let longestAge: Int64 = 5000

  private var last = Counts()
  private var countedAt: Int64 = .min / 2
  private var walk: (position: RegistrationWalk, counts: Counts)?

  /// - Returns: the counts, and whether ``advance(over:at:)`` is to be called after a pause.
  mutating func take(of registrations: RegistrationList, at now: Int64) -> (counts: Counts, begins: Bool) {
    if registrations.count <= Self.slice {
      var counts = Counts()
      for registration in registrations { counts.add(registration) }
      return (counts, false)
    }
    guard walk == nil, now - countedAt >= Self.longestAge else { return (last, false) }
    walk = (RegistrationWalk(), Counts())
    return (last, true)
  }

  /// Counts one slice more.
  /// - Returns: whether there is another.
  mutating func advance(over registrations: RegistrationList, at now: Int64) -> Bool {
    guard var (position, counts) = walk else { return false }
    for _ in 0..<Self.slice {
      guard let registration = position.next(in: registrations) else {
        last = counts
        countedAt = now
        walk = nil
        return false
      }
      counts.add(registration)
    }
    walk = (position, counts)
    return true
  }

  /// The count with which a gateway starts, when there is nobody yet to wait.
  mutating func begin(with registrations: RegistrationList) {
    var counts = Counts()
    for registration in registrations { counts.add(registration) }
    last = counts
  }
}
