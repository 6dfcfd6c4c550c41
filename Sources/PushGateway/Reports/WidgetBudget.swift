/// What a widget may still get. Reading it changes nothing.
public struct WidgetBudget: Codable, Sendable, Equatable {
  /// `refreshes-per-day` of the policy that applies.
  public var limit: Int
  public var burst: Int
  /// Whole tokens now.
  public var remaining: Int
  /// When the next token comes; nil when the bucket is full.
  public var next: ReportTime?
  /// `enforce`, `shadow` or `off`.
  public var mode: String

  public init(limit: Int, burst: Int, remaining: Int, next: ReportTime? = nil, mode: String) {
    self.limit = limit
    self.burst = burst
    self.remaining = remaining
    self.next = next
    self.mode = mode
  }
}
