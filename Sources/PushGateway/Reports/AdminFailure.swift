/// Why an admin request was not done: what becomes the answer's status and its `{"error","detail"}`.
public struct AdminFailure: Error, Sendable, Equatable {
  public var status: Int
  /// Kebab-case, for programs.
  public var code: String
  /// A sentence for people: names the thing and the mend.
  public var detail: String

  public init(status: Int, code: String, detail: String) {
    self.status = status
    self.code = code
    self.detail = detail
  }

  public static func notFound(_ detail: String) -> Self { Self(status: 404, code: "not-found", detail: detail) }

  public static func invalid(_ detail: String) -> Self { Self(status: 422, code: "invalid-request", detail: detail) }

  /// A rule of the configuration forbids it.
  public static func forbidden(_ detail: String) -> Self { Self(status: 403, code: "forbidden", detail: detail) }

  /// The gateway did not answer in time, or cannot commit now. Trying again later may help.
  public static func unavailable(_ detail: String) -> Self { Self(status: 503, code: "unavailable", detail: detail) }
}
