import GatewayIO

/// What a profile makes a device do while it is connected.
extension SimulatedDevice {
  /// Each stream begins them anew.
  func startHabits() {
    let profile = role.profile
    if let connected = profile.connected { schedule(.goes, after: around(connected)) }
    if let awake = profile.awake { schedule(.sleeps, after: around(isAsleep ? profile.asleep : awake)) }
    if let reinstalls = profile.reinstalls { schedule(.reinstalls, after: around(reinstalls)) }
  }

  func follow(_ timer: Timer) {
    guard state == .streaming else { return }
    switch timer {
    case .goes: goAway(for: around(role.profile.away))
    case .sleeps:
      isAsleep.toggle()
      saySituation {}
      schedule(.sleeps, after: around(isAsleep ? role.profile.asleep : role.profile.awake ?? role.profile.asleep))
    case .reinstalls:
      reinstall()
      if let reinstalls = role.profile.reinstalls { schedule(.reinstalls, after: around(reinstalls)) }
    case .retry, .silence, .away: break
    }
  }

  /// Between half of `mean` and one and a half.
  private func around(_ mean: Int64) -> Int64 { max(1, mean / 2 + Int64(random.next() % UInt64(max(1, mean)))) }
}
