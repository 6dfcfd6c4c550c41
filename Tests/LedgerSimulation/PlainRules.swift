import BudgetThrottle
import GatewayCore
import TokenStore

/// The rules in force since when, and which policy they give a widget: design §4 once more, in other words than the
/// product's.
struct PlainRules {
  private(set) var rules: LedgerRules
  private var history: [(since: LedgerTime, budget: BudgetPolicySet)] = []
  private var known: [Lookup: BudgetPolicy] = [:]

  private struct Lookup: Hashable {
    var rules: Int
    var group: Book.Group
  }

  init(_ rules: LedgerRules, at now: LedgerTime) {
    self.rules = rules
    history = [(now, rules.budget)]
  }

  mutating func change(to new: LedgerRules, at now: LedgerTime) {
    rules = new
    history.append((now, new.budget))
  }

  mutating func policy(of group: Book.Group, _ platform: Platform) -> BudgetPolicy {
    policy(of: group, platform, in: history.count - 1)
  }

  /// The largest b and the largest L − b of all policies that the group was under since `start`.
  mutating func bound(of group: Book.Group, _ platform: Platform, since start: LedgerTime) -> (burst: Int, refill: Int)
  {
    var (most, refill) = (0, 0)
    var place = history.count - 1
    while place >= 0 {
      let policy = policy(of: group, platform, in: place)
      let burst = policy.refreshesPerDay == 1 ? 1 : policy.burst
      most = max(most, burst)
      refill = max(refill, policy.refreshesPerDay - burst)
      if history[place].since < start { break }
      place -= 1
    }
    return (most, refill)
  }

  private mutating func policy(of group: Book.Group, _ platform: Platform, in place: Int) -> BudgetPolicy {
    let lookup = Lookup(rules: place, group: group)
    if let policy = known[lookup] { return policy }
    let set = history[place].budget
    let fitting = set.overrides.filter { override in
      let pairs = [
        (override.bundleID, group.app.description), (override.kind, group.kind),
        (override.family, group.family.rawValue), (override.platform, platform.rawValue),
      ]
      return pairs.allSatisfy { named, own in named == nil || named == own }
    }
    let order = fitting.sorted { left, right in
      for (mine, other) in [
        (left.bundleID, right.bundleID), (left.kind, right.kind), (left.family, right.family),
        (left.platform, right.platform),
      ] where (mine == nil) != (other == nil) {
        return mine != nil
      }
      return false
    }
    let policy = order.first?.applied(to: set.standard) ?? set.standard
    known[lookup] = policy
    return policy
  }
}
