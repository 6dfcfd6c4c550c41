import GatewayCore

/// What one loop counts since it started.
struct LoopCounters {
  var accepted: UInt64 = 0
  /// By the index of the reason in `RejectionReason.allCases`.
  var refused = [UInt64](repeating: 0, count: RejectionReason.allCases.count)
  var deviceRequests: UInt64 = 0
  var deviceRefused: UInt64 = 0
  var connectionsAccepted: UInt64 = 0
  var connectionsRefused: UInt64 = 0
  /// Idle ones that were sent away to make room.
  var connectionsEvicted: UInt64 = 0
  /// Not whole within limits.request-timeout.
  var requestsOverdue: UInt64 = 0
  var handshakesFailed: UInt64 = 0
  var connectionsBroken: UInt64 = 0
  var batchesDurable: UInt64 = 0
  var commitFailures: UInt64 = 0
  var commitLatency = Histogram(bounds: [
    0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 2.5,
  ])

  /// Of pushes whose device could take their refresh at once.
  var eventLatency = Histogram(bounds: [
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5,
  ])

  mutating func count(_ reason: RejectionReason) {
    if let index = RejectionReason.allCases.firstIndex(of: reason) { refused[index] += 1 }
  }
}
