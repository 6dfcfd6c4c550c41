/// How much one widget may refresh.
public struct BudgetPolicy: Hashable, Sendable, BitwiseCopyable {
  public enum Mode: String, CaseIterable, Sendable, BitwiseCopyable {
    /// Withholds what is over budget.
    case enforce
    /// Counts, never withholds.
    case shadow
    /// Neither.
    case off
  }

  public var mode: Mode
  /// L: charged hand-overs in any closed window of 24 h, 1...1 000 000.
  public var refreshesPerDay: Int
  /// b: how many of those may come at once, 1...L, and below L unless L is 1.
  public var burst: Int
  /// Between two charged hand-overs, milliseconds.
  public var minimumInterval: Int64

  public static let refreshesPerDayRange = 1...1_000_000

  public init(mode: Mode = .enforce, refreshesPerDay: Int = 50, burst: Int? = nil, minimumInterval: Int64 = 0) {
    self.mode = mode
    self.refreshesPerDay = refreshesPerDay
    self.burst = burst ?? Self.defaultBurst(refreshesPerDay: refreshesPerDay)
    self.minimumInterval = minimumInterval
  }

  /// Refreshes a day that come evenly: L − b, and one where L is 1.
  public var sustainedPerDay: Int { max(1, refreshesPerDay - burst) }

  /// min(4, max(1, L/10)).
  public static func defaultBurst(refreshesPerDay: Int) -> Int { min(4, max(1, refreshesPerDay / 10)) }
}
