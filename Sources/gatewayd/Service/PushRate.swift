import GatewayReports

/// Pushes a second between two looks at the gateway.
struct PushRate {
  private var last: (pushes: UInt64, at: Int64)?
  private(set) var perSecond: Double?

  /// - Parameter now: milliseconds of a clock that does not step.
  mutating func note(_ pushes: PushCounts, at now: Int64) {
    let total = pushes.accepted + pushes.refused
    if let last {
      guard now > last.at else { return }
      perSecond = Double(total &- last.pushes) * 1000 / Double(now - last.at)
    }
    last = (total, now)
  }

  var text: String {
    guard let perSecond else { return "" }
    return perSecond < 10 && perSecond > 0 ? "\((perSecond * 10).rounded() / 10)" : "\(Int(perSecond.rounded()))"
  }
}
