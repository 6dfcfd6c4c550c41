/// What says that a widget is stale.
public struct MarkReport: Codable, Sendable, Equatable {
  public var apnsID: String
  /// The newest push.
  public var number: UInt64
  /// When it was first marked.
  public var since: ReportTime
  public var expires: ReportTime
  public var priority: Int

  public init(apnsID: String, number: UInt64, since: ReportTime, expires: ReportTime, priority: Int) {
    self.apnsID = apnsID
    self.number = number
    self.since = since
    self.expires = expires
    self.priority = priority
  }

  private enum CodingKeys: String, CodingKey {
    case apnsID = "apns-id"
    case number, since, expires, priority
  }
}
