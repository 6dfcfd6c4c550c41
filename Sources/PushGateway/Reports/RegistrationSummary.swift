/// One app on one device, in a list.
public struct RegistrationSummary: Codable, Sendable, Equatable {
  public var token: String
  public var app: String
  public var environment: String
  public var device: String
  public var platform: String
  public var connected: Bool
  public var widgets: Int
  /// Marked widgets.
  public var waiting: Int
  /// Widgets whose hand-over has no receipt yet.
  public var inFlight: Int

  public init(
    token: String, app: String, environment: String, device: String, platform: String, connected: Bool, widgets: Int,
    waiting: Int, inFlight: Int
  ) {
    self.token = token
    self.app = app
    self.environment = environment
    self.device = device
    self.platform = platform
    self.connected = connected
    self.widgets = widgets
    self.waiting = waiting
    self.inFlight = inFlight
  }
}
