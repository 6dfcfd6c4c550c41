import BudgetThrottle
import Testing

/// Protects which policy a widget gets: the order of weight, and what an override leaves to the default.
@Suite("Policies and their overrides") struct BudgetPolicySetTests {
  private typealias Override = BudgetPolicySet.Override

  private static func override(
    _ limit: Int, bundleID: String? = nil, kind: String? = nil, family: String? = nil, platform: String? = nil
  ) -> Override {
    var override = Override(bundleID: bundleID, kind: kind, family: family, platform: platform)
    override.refreshesPerDay = limit
    return override
  }

  private static func limit(_ set: BudgetPolicySet) -> Int {
    set.policy(bundleID: "com.example.caffeine", kind: "cup", family: "systemSmall", platform: "iOS").refreshesPerDay
  }

  @Test("Bundle ID outweighs all the rest, kind outweighs family and platform, family outweighs platform")
  func weight() {
    let everything: [Override] = [
      Self.override(61, platform: "iOS"), Self.override(62, family: "systemSmall"),
      Self.override(63, family: "systemSmall", platform: "iOS"), Self.override(64, kind: "cup"),
      Self.override(65, kind: "cup", family: "systemSmall", platform: "iOS"),
      Self.override(66, bundleID: "com.example.caffeine"),
      Self.override(67, bundleID: "com.example.caffeine", kind: "cup", family: "systemSmall", platform: "iOS"),
    ]
    for count in 0...everything.count {
      let wanted = count == 0 ? 50 : everything[count - 1].refreshesPerDay
      let some = Array(everything.prefix(count))
      #expect(Self.limit(BudgetPolicySet(overrides: some)) == wanted)
      #expect(Self.limit(BudgetPolicySet(overrides: some.reversed())) == wanted, "the order in the file is no matter")
    }
  }

  @Test("An override that names anything else does not apply, however heavy it is")
  func mismatch() {
    let others: [Override] = [
      Self.override(61, bundleID: "com.example.tea", kind: "cup"), Self.override(62, kind: "pot"),
      Self.override(63, family: "systemLarge"), Self.override(64, platform: "watchOS"),
      Self.override(65, bundleID: "com.example.caffeine", kind: "cup", family: "systemSmall", platform: "macOS"),
    ]
    #expect(Self.limit(BudgetPolicySet(overrides: others)) == 50)
  }

  @Test("What an override does not set comes from the default policy; a limit of its own brings its own burst")
  func applied() {
    let standard = BudgetPolicy.limit(50, burst: 7, interval: 5000, mode: .shadow)
    var override = Override(kind: "cup")
    override.minimumInterval = 9000
    #expect(override.applied(to: standard) == .limit(50, burst: 7, interval: 9000, mode: .shadow))
    override = Override(kind: "cup")
    override.refreshesPerDay = 20
    #expect(override.applied(to: standard) == .limit(20, burst: 2, interval: 5000, mode: .shadow))
    override.burst = 5
    override.mode = .off
    #expect(override.applied(to: standard) == .limit(20, burst: 5, interval: 5000, mode: .off))
  }

  @Test("Two overrides that name the same are a tie, whatever they set")
  func ties() {
    let set = BudgetPolicySet(overrides: [
      Self.override(61, kind: "cup"), Self.override(62, family: "systemSmall"),
      Self.override(63, kind: "cup", family: "systemSmall"), Self.override(64, kind: "cup"),
    ])
    let tie = set.firstTie()
    #expect(tie?.0 == 0)
    #expect(tie?.1 == 3)
    #expect(BudgetPolicySet(overrides: Array(set.overrides.prefix(3))).firstTie() == nil)
    #expect(BudgetPolicySet(overrides: [Self.override(1), Self.override(2)]).firstTie() != nil)
  }
}
