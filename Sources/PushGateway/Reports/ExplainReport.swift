/// Why widgets did or did not refresh; `GET /v1/explain/<id>`.
public struct ExplainReport: Codable, Sendable, Equatable {
  /// As it was asked for.
  public var id: String
  /// Newest first; one for an id of a push, several for a token.
  public var pushes: [PushReport]

  public init(id: String, pushes: [PushReport]) {
    self.id = id
    self.pushes = pushes
  }
}
