import GatewayCore

/// An open `GET /v1/fan-outs/<id>/events`. Progress is a level: a slow reader hears of it less often.
struct FanOutWatcher {
  let place: RequestPlace
  let fanOut: FanOut
  /// It has taken what it was told last.
  var isTold = true
  private var told: (state: FanOut.State, counts: FanOutCounts)?

  init(place: RequestPlace, fanOut: FanOut) {
    self.place = place
    self.fanOut = fanOut
  }

  /// It knows of the end.
  var isDone: Bool { told.map { $0.state != .running } ?? false }

  /// - Returns: what to tell of; nil when nothing is new, or the last news is still on its way.
  mutating func takeNews() -> FanOut? {
    guard isTold else { return nil }
    if let told, told.state == fanOut.state, told.counts == fanOut.counts { return nil }
    told = (fanOut.state, fanOut.counts)
    isTold = false
    return fanOut
  }
}
