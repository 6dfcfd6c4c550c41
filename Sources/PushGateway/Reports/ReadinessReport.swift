/// Whether the gateway takes pushes now; `GET /readyz`.
public struct ReadinessReport: Codable, Sendable, Equatable {
  public var ready: Bool
  /// Why it does not, such as `draining` or `the store is failing`.
  public var why: String?

  public init(ready: Bool, why: String? = nil) {
    self.ready = ready
    self.why = why
  }
}
