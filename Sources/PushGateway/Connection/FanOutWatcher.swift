import GatewayCore

/// An open `GET /v1/fan-outs/<id>/events`. A progress is a level: who reads slowly hears of fewer, never of stale ones.
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
