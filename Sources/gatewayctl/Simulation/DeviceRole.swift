import TokenStore

/// What a device plays: how it behaves, what it is, and what stands on its screen.
struct DeviceRole {
  let profile: DeviceProfile
  let platform: Platform
  let os: String
  let widgets: [SimulationPlan.Widget]

  /// Deals `count` devices out by weight, as evenly as can be at every length (smooth weighted round robin): of shares 3
  /// and 1, each four devices in a row are three of one and one of the other.
  ///
  /// - Returns: for each device the index of its share.
  static func deal(_ count: Int, shares: [Int]) -> [Int] {
    let total = shares.reduce(0, +)
    var credit = [Int](repeating: 0, count: shares.count)
    return (0..<count).map { _ in
      for index in shares.indices { credit[index] += shares[index] }
      let best = credit.indices.max { (credit[$0], -$0) < (credit[$1], -$1) } ?? 0
      credit[best] -= total
      return best
    }
  }
}
