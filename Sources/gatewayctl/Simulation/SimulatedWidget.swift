/// One widget on a simulated screen.
struct SimulatedWidget {
  let kind: String
  let family: String
  /// Refreshes a day and left now, as the gateway said when it was last asked; nil where budgets are off.
  var limit: Int?
  var remaining: Int?
  /// The most that was ever left.
  var mostRemaining = 0
  /// Boot nanoseconds; what was placed later than a push was sent has not missed it.
  let placed: Int64
  var refreshes = 0
  /// Boot nanoseconds.
  var lastRefresh: Int64?
  /// Milliseconds since 1970.
  var lastRefreshTime: Int64?
  var lastPush: String?
  /// Times between two refreshes, in milliseconds.
  var gaps = Distribution()

  mutating func refresh(by push: String, boot: Int64, wall: Int64) {
    if let last = lastRefresh { gaps.add(UInt64(max(0, boot - last) / 1_000_000)) }
    refreshes += 1
    lastRefresh = boot
    lastRefreshTime = wall
    lastPush = push
  }
}
