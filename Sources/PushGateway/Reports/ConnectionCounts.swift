/// Open connections by role.
public struct ConnectionCounts: Codable, Sendable, Equatable {
  public var provider: Int
  public var device: Int

  public init(provider: Int, device: Int) {
    self.provider = provider
    self.device = device
  }
}
