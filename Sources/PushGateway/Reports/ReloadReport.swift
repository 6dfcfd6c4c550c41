/// How the last reload ended.
public struct ReloadReport: Codable, Sendable, Equatable {
  public var time: ReportTime
  public var succeeded: Bool
  /// What was broken; everything stayed as it was then.
  public var problems: [String]

  public init(time: ReportTime, succeeded: Bool, problems: [String] = []) {
    self.time = time
    self.succeeded = succeeded
    self.problems = problems
  }
}
