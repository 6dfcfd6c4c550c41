/// The default policy and its overrides, in the order of weight bundle ID, kind, family, platform.
public struct BudgetPolicySet: Hashable, Sendable {
  /// What a push to a registration gets whose every widget lacks budget.
  public enum OverBudget: String, CaseIterable, Sendable {
    /// 200, and the refresh waits.
    case `defer`
    /// 429 `TooManyRequests`, and nothing is marked.
    case reject
  }

  /// Applies where everything that it names matches; what it does not set comes from the default policy.
  public struct Override: Hashable, Sendable {
    public var bundleID: String?
    public var kind: String?
    public var family: String?
    public var platform: String?
    public var mode: BudgetPolicy.Mode?
    public var refreshesPerDay: Int?
    public var burst: Int?
    /// Milliseconds.
    public var minimumInterval: Int64?

    public init(bundleID: String? = nil, kind: String? = nil, family: String? = nil, platform: String? = nil) {
      self.bundleID = bundleID
      self.kind = kind
      self.family = family
      self.platform = platform
    }

    /// Compared as a number, so that a named bundle ID outweighs all the rest together, and so on down.
    package var weight: Int {
      (bundleID != nil ? 8 : 0) + (kind != nil ? 4 : 0) + (family != nil ? 2 : 0) + (platform != nil ? 1 : 0)
    }

    /// The policy of the widgets that it is for. A limit of its own brings that limit's default burst with it.
    package func applied(to standard: BudgetPolicy) -> BudgetPolicy {
      var policy = standard
      if let mode { policy.mode = mode }
      if let refreshesPerDay {
        policy.refreshesPerDay = refreshesPerDay
        policy.burst = BudgetPolicy.defaultBurst(refreshesPerDay: refreshesPerDay)
      }
      if let burst { policy.burst = burst }
      if let minimumInterval { policy.minimumInterval = minimumInterval }
      return policy
    }
  }

  public var standard: BudgetPolicy
  public var overBudget: OverBudget
  public var overrides: [Override]

  public init(
    standard: BudgetPolicy = BudgetPolicy(), overBudget: OverBudget = .defer, overrides: [Override] = []
  ) {
    self.standard = standard
    self.overBudget = overBudget
    self.overrides = overrides
  }

  /// Two overrides that name the same keys with the same values: which one counts would be chance.
  public func firstTie() -> (Int, Int)? {
    for later in overrides.indices {
      for earlier in overrides.indices where earlier < later {
        let (left, right) = (overrides[earlier], overrides[later])
        if left.bundleID == right.bundleID, left.kind == right.kind, left.family == right.family,
          left.platform == right.platform
        {
          return (earlier, later)
        }
      }
    }
    return nil
  }

  /// The policy of one widget: the heaviest matching override over the default.
  public func policy(bundleID: String, kind: String, family: String, platform: String) -> BudgetPolicy {
    var best: Override?
    for override in overrides
    where (override.bundleID ?? bundleID) == bundleID && (override.kind ?? kind) == kind
      && (override.family ?? family) == family && (override.platform ?? platform) == platform
      && override.weight > (best?.weight ?? -1)
    {
      best = override
    }
    return best?.applied(to: standard) ?? standard
  }
}
