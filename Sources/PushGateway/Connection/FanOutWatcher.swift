import GatewayCore

/// An open `GET /v1/fan-outs/<id>/events`. Progress is a level: a slow reader hears of it less often.
struct FanOutWatcher {
  var stream: Int32
  var fanOut: FanOut
  /// What the watcher was told last.
  var told: (state: FanOut.State, counts: FanOutCounts)?

  var hasNews: Bool {
    guard let told else { return true }
    return told.state != fanOut.state || told.counts != fanOut.counts
  }
}
