/// What became of one push.
public struct PushReport: Codable, Sendable, Equatable {
  public var apnsID: String
  /// Development only.
  public var apnsUniqueID: String?
  /// nil when it was refused.
  public var number: UInt64?
  /// Empty where a refused push named none that could be read.
  public var token: String
  public var app: String?
  /// `apns-topic`; of a refused push as it was sent.
  public var topic: String?
  public var environment: String
  public var received: ReportTime
  /// The answer.
  public var status: Int
  public var reason: String?
  /// What the answer said besides.
  public var detail: String?
  /// In their order, up to the first failure.
  public var checks: [CheckReport]
  /// In the order of time.
  public var decisions: [DecisionReport]

  public init(
    apnsID: String, apnsUniqueID: String? = nil, number: UInt64? = nil, token: String, app: String? = nil,
    topic: String? = nil, environment: String, received: ReportTime, status: Int, reason: String? = nil,
    detail: String? = nil, checks: [CheckReport],
    decisions: [DecisionReport]
  ) {
    self.apnsID = apnsID
    self.apnsUniqueID = apnsUniqueID
    self.number = number
    self.token = token
    self.app = app
    self.topic = topic
    self.environment = environment
    self.received = received
    self.status = status
    self.reason = reason
    self.detail = detail
    self.checks = checks
    self.decisions = decisions
  }

  private enum CodingKeys: String, CodingKey {
    case apnsID = "apns-id"
    case apnsUniqueID = "apns-unique-id"
    case number, token, app, topic, environment, received, status, reason, detail, checks, decisions
  }
}
