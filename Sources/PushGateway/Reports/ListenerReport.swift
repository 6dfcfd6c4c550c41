/// One address that the gateway listens on.
public struct ListenerReport: Codable, Sendable, Equatable {
  public enum Role: String, Codable, Sendable, CaseIterable { case provider, device, admin }

  public var role: Role
  /// As the configuration writes it, with the port really bound.
  public var address: String
  /// Provider listeners only.
  public var environment: String?

  public init(role: Role, address: String, environment: String? = nil) {
    self.role = role
    self.address = address
    self.environment = environment
  }
}
