/// Something decided about one widget, or heard from its device.
public struct DecisionReport: Codable, Sendable, Equatable {
  /// A push marks, and every widget that it marked comes to exactly one end: received, dropped, superseded,
  /// expired or removed.
  public enum Outcome: String, Codable, Sendable, CaseIterable {
    case marked, sent, resent, deferred, dropped, superseded, expired, received, duplicate, removed, rejected
  }

  public var time: ReportTime
  /// Its index; nil when it concerns the whole registration.
  public var widget: Int?
  public var kind: String?
  public var family: String?
  public var outcome: Outcome
  /// For people: which rule decided, such as `the budget is spent` or
  /// `bypass: developer mode of app com.example.caffeine (ada: layout work)`.
  public var why: String
  /// `<epoch>-<sequence>` of the event that carried it.
  public var event: String?
  /// For `deferred`: the earliest instant that changes it, if time alone does.
  public var until: ReportTime?

  public init(
    time: ReportTime, widget: Int? = nil, kind: String? = nil, family: String? = nil, outcome: Outcome,
    why: String, event: String? = nil, until: ReportTime? = nil
  ) {
    self.time = time
    self.widget = widget
    self.kind = kind
    self.family = family
    self.outcome = outcome
    self.why = why
    self.event = event
    self.until = until
  }
}
