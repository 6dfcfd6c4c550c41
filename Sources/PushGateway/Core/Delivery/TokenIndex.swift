package import TokenStore

/// Finds a registration by environment and token: open addressing over the registrations themselves, since a
/// dictionary keyed by tokens would hold each token twice. Hashing is keyed per process, so that nobody can choose
/// tokens that collide.
package struct TokenIndex {
  private var slots: [RegistrationState?] = Array(repeating: nil, count: 64)
  package private(set) var count = 0

  package init() {}

  package func find(_ token: DeviceToken, in environment: GatewayEnvironment) -> RegistrationState? {
    var place = home(of: token, in: environment)
    while let candidate = slots[place] {
      if candidate.environment == environment, candidate.token == token { return candidate }
      place = (place + 1) & (slots.count - 1)
    }
    return nil
  }

  /// The registration's token and environment must not change while it is in here.
  package mutating func insert(_ registration: RegistrationState) {
    if count * 4 >= slots.count * 3 { grow() }
    place(registration)
    count += 1
  }

  package mutating func remove(_ registration: RegistrationState) {
    var hole = home(of: registration.token, in: registration.environment)
    while let candidate = slots[hole], candidate !== registration { hole = (hole + 1) & (slots.count - 1) }
    guard slots[hole] != nil else { return }
    slots[hole] = nil
    count -= 1
    // Closes the gap, so that no search stops short of what lies behind it.
    var next = (hole + 1) & (slots.count - 1)
    while let candidate = slots[next] {
      let wanted = home(of: candidate.token, in: candidate.environment)
      if (next &- wanted) & (slots.count - 1) >= (next &- hole) & (slots.count - 1) {
        slots[hole] = candidate
        slots[next] = nil
        hole = next
      }
      next = (next + 1) & (slots.count - 1)
    }
  }

  private mutating func place(_ registration: RegistrationState) {
    var place = home(of: registration.token, in: registration.environment)
    while slots[place] != nil { place = (place + 1) & (slots.count - 1) }
    slots[place] = registration
  }

  private mutating func grow() {
    let old = slots
    slots = Array(repeating: nil, count: old.count * 2)
    for case let registration? in old { place(registration) }
  }

  private func home(of token: DeviceToken, in environment: GatewayEnvironment) -> Int {
    var hasher = Hasher()
    token.hash(into: &hasher)
    hasher.combine(environment == .production)
    return hasher.finalize() & (slots.count - 1)
  }
}
