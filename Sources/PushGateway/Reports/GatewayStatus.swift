/// How the gateway is; `GET /v1/status`.
public struct GatewayStatus: Codable, Sendable, Equatable {
  public var version: String
  public var started: ReportTime
  public var uptimeSeconds: Int
  public var readiness: ReadinessReport
  public var listeners: [ListenerReport]
  public var connections: ConnectionCounts
  /// Enrolled.
  public var devices: Int
  /// With an open update stream.
  public var connectedDevices: Int
  public var registrations: Int
  public var widgets: Int
  /// Marked: stale and not yet handed over.
  public var waitingWidgets: Int
  /// Handed over, no receipt yet.
  public var inFlightWidgets: Int
  public var pushes: PushCounts
  public var store: StoreReport
  /// Active now.
  public var developerModeGrants: Int
  /// nil: there was none since the start.
  public var lastReload: ReloadReport?

  public init(
    version: String, started: ReportTime, uptimeSeconds: Int, readiness: ReadinessReport, listeners: [ListenerReport],
    connections: ConnectionCounts, devices: Int, connectedDevices: Int, registrations: Int, widgets: Int,
    waitingWidgets: Int, inFlightWidgets: Int, pushes: PushCounts, store: StoreReport, developerModeGrants: Int,
    lastReload: ReloadReport? = nil
  ) {
    self.lastReload = lastReload
    self.version = version
    self.started = started
    self.uptimeSeconds = uptimeSeconds
    self.readiness = readiness
    self.listeners = listeners
    self.connections = connections
    self.devices = devices
    self.connectedDevices = connectedDevices
    self.registrations = registrations
    self.widgets = widgets
    self.waitingWidgets = waitingWidgets
    self.inFlightWidgets = inFlightWidgets
    self.pushes = pushes
    self.store = store
    self.developerModeGrants = developerModeGrants
  }
}
