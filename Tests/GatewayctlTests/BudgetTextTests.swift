import GatewayReports
import Testing

@testable import gatewayctl

/// Protects what an app developer reads first when a widget does not refresh.
@Suite("Budgets in words") struct BudgetTextTests {
  private static func budget(
    burst: Int = 4, sustained: Int = 46, remaining: Int = 0, admits: Int64? = nil
  ) -> WidgetBudget {
    WidgetBudget(
      limit: burst + sustained, burst: burst, sustained: sustained, remaining: remaining,
      admits: admits.map { ReportTime(milliseconds: $0) }, mode: "enforce")
  }

  @Test(
    "A bar shows what is left of the burst, in as many steps as there are, up to eight",
    arguments: [
      (4, 4, "[####]     4 of 4"), (4, 1, "[#...]     1 of 4"), (1, 0, "[.]        0 of 1"),
      (100, 49, "[###.....] 49 of 100"), (100, 99, "[#######.] 99 of 100"), (8, 8, "[########] 8 of 8"),
    ])
  func bar(burst: Int, remaining: Int, text: String) {
    #expect(BudgetText.left(Self.budget(burst: burst, remaining: remaining)) == text)
  }

  @Test("The next refresh is now, or after a wait that is rounded up")
  func nextRefresh() {
    let now = ReportTime(milliseconds: 1000)
    #expect(BudgetText.nextRefresh(Self.budget(), isLifted: false, at: now) == "now")
    let wait = Self.budget(admits: 1_801_001)
    #expect(BudgetText.nextRefresh(wait, isLifted: false, at: now) == "in 30 min 1 s, at 00:30:01Z")
    #expect(BudgetText.nextRefresh(wait, isLifted: true, at: now) == "now", "developer mode waits for nothing")
    #expect(BudgetText.nextRefresh(wait, isLifted: false, at: ReportTime(milliseconds: 1_801_001)) == "now")
  }

  @Test(
    "The long run is a number a day and the time between two",
    arguments: [(46, "46 a day, each 31 min 18 s"), (1, "1 a day, each 1 d"), (1_000_000, "1000000 a day, each 1 s")])
  func sustained(perDay: Int, text: String) {
    #expect(BudgetText.sustained(Self.budget(sustained: perDay)) == text)
  }
}
