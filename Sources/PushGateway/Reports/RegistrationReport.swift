/// One app on one device, whole; `GET /v1/registrations/<token>`.
public struct RegistrationReport: Codable, Sendable, Equatable {
  public var token: String
  public var topic: String
  public var app: String
  public var environment: String
  public var device: String
  public var platform: String
  public var connected: Bool
  /// Its budget is lifted now.
  public var developerMode: Bool
  public var widgets: [WidgetReport]

  public init(
    token: String, topic: String, app: String, environment: String, device: String, platform: String, connected: Bool,
    developerMode: Bool, widgets: [WidgetReport]
  ) {
    self.token = token
    self.topic = topic
    self.app = app
    self.environment = environment
    self.device = device
    self.platform = platform
    self.connected = connected
    self.developerMode = developerMode
    self.widgets = widgets
  }
}
