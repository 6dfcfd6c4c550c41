/// Pushes since the start, by answer.
public struct PushCounts: Codable, Sendable, Equatable {
  public var accepted: UInt64
  public var refused: UInt64

  public init(accepted: UInt64, refused: UInt64) {
    self.accepted = accepted
    self.refused = refused
  }
}
