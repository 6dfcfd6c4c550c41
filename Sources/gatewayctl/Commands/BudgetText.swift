import GatewayReports

/// A budget in words.
enum BudgetText {
  private static let barWidth = 8

  /// `[####....] 2 of 4`
  static func left(_ budget: WidgetBudget) -> String {
    let width = min(barWidth, max(1, budget.burst))
    let full = budget.burst > 0 ? max(0, min(width, budget.remaining * width / budget.burst)) : 0
    let bar = String(repeating: "#", count: full) + String(repeating: ".", count: width - full)
    let padding = String(repeating: " ", count: barWidth - width)
    return "[\(bar)]\(padding) \(budget.remaining) of \(budget.burst)"
  }

  /// `now`, or `in 23 min, at 03:32:20Z`: when a push would be handed over to a device that is connected.
  static func nextRefresh(_ budget: WidgetBudget, isLifted: Bool, at now: ReportTime) -> String {
    guard !isLifted, let admits = budget.admits, admits > now else { return "now" }
    let seconds = Int((admits.milliseconds - now.milliseconds + 999) / 1000)
    return "in \(ReportText.duration(seconds: seconds)), at \(ReportText.time(admits).suffix(9))"
  }

  /// `46 a day, each 31 min 18 s`
  static func sustained(_ budget: WidgetBudget) -> String {
    guard budget.sustained > 0 else { return "" }
    return "\(budget.sustained) a day, each \(ReportText.duration(seconds: max(1, 86_400 / budget.sustained)))"
  }
}
