import BudgetThrottle
import GatewayCore

/// The sections whose keys stand for themselves.
extension ConfigurationAssembly {
  func checks() -> GatewayConfiguration.Checks {
    var checks = GatewayConfiguration.Checks()
    guard let content = first(.checks) else { return checks }
    checks.payload = content.choice(.checksPayload) ?? checks.payload
    checks.pushType = content.choice(.checksPushType) ?? checks.pushType
    checks.pushesPerTokenPerMinute = content.number(.checksPushesPerTokenPerMinute) ?? checks.pushesPerTokenPerMinute
    return checks
  }

  func developerMode() -> DeveloperModeRules {
    var rules = DeveloperModeRules()
    guard let content = first(.developerMode) else { return rules }
    rules.allowed = content.flag(.developerModeAllowed) ?? rules.allowed
    rules.longest = content.milliseconds(.developerModeLongest) ?? rules.longest
    rules.deviceSwitch = content.flag(.developerModeDeviceSwitch) ?? rules.deviceSwitch
    return rules
  }

  func delivery() -> GatewayConfiguration.Delivery {
    var delivery = GatewayConfiguration.Delivery()
    guard let content = first(.delivery) else { return delivery }
    delivery.lowPriorityWindow = content.duration(.deliveryLowPriorityWindow) ?? delivery.lowPriorityWindow
    delivery.retention = content.duration(.deliveryRetention) ?? delivery.retention
    return delivery
  }

  func explain() -> GatewayConfiguration.Explain {
    var explain = GatewayConfiguration.Explain()
    guard let content = first(.explain) else { return explain }
    explain.production = content.flag(.explainProduction) ?? explain.production
    explain.decisions = content.number(.explainDecisions) ?? explain.decisions
    explain.refusedPushes = content.number(.explainRefusedPushes) ?? explain.refusedPushes
    explain.retention = content.duration(.explainRetention) ?? explain.retention
    return explain
  }

  func limits() -> GatewayConfiguration.Limits {
    var limits = GatewayConfiguration.Limits()
    guard let content = first(.limits) else { return limits }
    limits.connections = content.number(.limitsConnections) ?? limits.connections
    limits.connectionsPerAddress = content.number(.limitsConnectionsPerAddress) ?? limits.connectionsPerAddress
    limits.streams = content.number(.limitsStreams) ?? limits.streams
    limits.headerListBytes = content.number(.limitsHeaderListBytes) ?? limits.headerListBytes
    limits.handshakes = content.number(.limitsHandshakes) ?? limits.handshakes
    limits.handshakesPerTurn = content.number(.limitsHandshakesPerTurn) ?? limits.handshakesPerTurn
    limits.requestTimeout = content.duration(.limitsRequestTimeout) ?? limits.requestTimeout
    limits.handshakeTimeout = content.duration(.limitsHandshakeTimeout) ?? limits.handshakeTimeout
    limits.resetsPerMinute = content.number(.limitsResetsPerMinute) ?? limits.resetsPerMinute
    limits.errorsPerMinute = content.number(.limitsErrorsPerMinute) ?? limits.errorsPerMinute
    limits.storeBacklogBytes = content.number(.limitsStoreBacklogBytes) ?? limits.storeBacklogBytes
    return limits
  }

  func log() -> GatewayConfiguration.Log {
    var log = GatewayConfiguration.Log()
    guard let content = first(.log) else { return log }
    log.level = content.choice(.logLevel) ?? log.level
    log.format = content.choice(.logFormat) ?? log.format
    return log
  }
}
