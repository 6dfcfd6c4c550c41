/// The newest pushes; `GET /v1/explain`.
public struct ExplainListReport: Codable, Sendable, Equatable {
  /// Newest first.
  public var pushes: [PushReport]
  /// Refused ones whose sender had shown no valid credential, newest first; only where refused ones were asked for.
  public var withoutCredential: [PushReport]

  public init(pushes: [PushReport], withoutCredential: [PushReport]) {
    self.pushes = pushes
    self.withoutCredential = withoutCredential
  }
}
