/// What a widget may still get. Reading it changes nothing.
public struct WidgetBudget: Codable, Sendable, Equatable {
  /// `refreshes-per-day` of the policy that applies.
  public var limit: Int
  public var burst: Int
  /// Refreshes a day that come evenly, once the burst is spent.
  public var sustained: Int
  /// Whole tokens now.
  public var remaining: Int
  /// When the next token comes; nil when the bucket is full.
  public var next: ReportTime?
  /// When a refresh would be let through next; nil when that is now.
  public var admits: ReportTime?
  /// `enforce`, `shadow` or `off`.
  public var mode: String

  public init(
    limit: Int, burst: Int, sustained: Int, remaining: Int, next: ReportTime? = nil, admits: ReportTime? = nil,
    mode: String
  ) {
    self.limit = limit
    self.burst = burst
    self.sustained = sustained
    self.remaining = remaining
    self.next = next
    self.admits = admits
    self.mode = mode
  }
}
