/// What is counted beside the ledger since the start: answers, and the way to the store.
struct DecisionCounters {
  /// Pushes answered 200, or about to be.
  var accepted: UInt64 = 0
  var batchesDurable: UInt64 = 0
  var commitFailures: UInt64 = 0
  var commitLatency = Histogram(bounds: [
    0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 2.5,
  ])

  /// Of pushes whose device could take their refresh at once.
  var eventLatency = Histogram(bounds: [
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5,
  ])
}
