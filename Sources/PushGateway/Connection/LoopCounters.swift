import GatewayCore

/// What a loop counts since it started.
struct LoopCounters: Sendable {
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

  mutating func count(_ reason: RejectionReason) {
    if let index = RejectionReason.allCases.firstIndex(of: reason) { refused[index] += 1 }
  }

  mutating func add(_ other: LoopCounters) {
    for index in refused.indices { refused[index] += other.refused[index] }
    deviceRequests += other.deviceRequests
    deviceRefused += other.deviceRefused
    connectionsAccepted += other.connectionsAccepted
    connectionsRefused += other.connectionsRefused
    connectionsEvicted += other.connectionsEvicted
    requestsOverdue += other.requestsOverdue
    handshakesFailed += other.handshakesFailed
    connectionsBroken += other.connectionsBroken
  }
}
