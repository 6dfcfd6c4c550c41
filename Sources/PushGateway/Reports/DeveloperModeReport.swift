/// One active grant of developer mode; `GET /v1/developer-mode`.
public struct DeveloperModeReport: Codable, Sendable, Equatable {
  /// A bundle ID; exactly one of `app` and `device` is there.
  public var app: String?
  public var device: String?
  public var until: ReportTime
  public var since: ReportTime
  public var who: String
  public var why: String
  public var by: DeveloperModeSource

  public init(
    app: String? = nil, device: String? = nil, until: ReportTime, since: ReportTime, who: String, why: String,
    by: DeveloperModeSource
  ) {
    self.app = app
    self.device = device
    self.until = until
    self.since = since
    self.who = who
    self.why = why
    self.by = by
  }
}
