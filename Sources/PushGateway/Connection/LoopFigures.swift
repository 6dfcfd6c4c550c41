import GatewayCore
import GatewayReports

/// What loops count of connections and requests: one of them, or all together.
struct LoopFigures: Sendable {
  var counters = LoopCounters()
  var providers = 0
  var devices = 0
  var handshakes = 0
  /// Of all together.
  var connectionLimit = 0

  mutating func add(_ other: LoopFigures) {
    counters.add(other.counters)
    providers += other.providers
    devices += other.devices
    handshakes += other.handshakes
    connectionLimit = other.connectionLimit
  }

  var metrics: [MetricFamily] {
    [
      .labelled(
        "gatewayd_pushes_refused_total", "Pushes refused, by the reason in the answer.", .counter, by: "reason",
        zip(RejectionReason.allCases, counters.refused).map { ($0.rawValue, Double($1)) }),
      .labelled(
        "gatewayd_connections", "Open connections.", .gauge, by: "role",
        [("provider", Double(providers)), ("device", Double(devices))]),
      .labelled(
        "gatewayd_connection_attempts_total", "Connections that came, by what became of them.", .counter, by: "outcome",
        [
          ("accepted", Double(counters.connectionsAccepted)), ("refused", Double(counters.connectionsRefused)),
          ("handshake-failed", Double(counters.handshakesFailed)), ("broken", Double(counters.connectionsBroken)),
        ]),
      .single(
        "gatewayd_connections_evicted_total", "Idle provider connections sent away because the gateway was full.",
        .counter, Double(counters.connectionsEvicted)),
      .single(
        "gatewayd_connections_limit",
        "Connections that are taken at most: limits.connections, or fewer for want of "
          + "file descriptors.", .gauge, Double(connectionLimit)),
      .single(
        "gatewayd_requests_overdue_total", "Requests reset because they were not whole within limits.request-timeout.",
        .counter, Double(counters.requestsOverdue)),
      .single("gatewayd_handshakes", "TLS handshakes under way.", .gauge, Double(handshakes)),
      .labelled(
        "gatewayd_device_requests_total", "Requests on the device listener.", .counter, by: "outcome",
        [
          ("served", Double(counters.deviceRequests - counters.deviceRefused)),
          ("refused", Double(counters.deviceRefused)),
        ]),
    ]
  }
}
