import CommandLineInterface
import GatewayReports
import Glibc

/// `gatewayctl budget show|reset`
enum BudgetCommand {
  private static let who = CommandOption.value(
    "who", "NAME", help: "who resets, for the audit", standard: "your user name")
  private static let why = CommandOption.value("why", "TEXT", help: "the reason, for the audit; required")
  private static let token = Positional("TOKEN", help: "a device token in hex")

  static let command = Command(
    "budget", summary: "Shows what the widgets of a registration may still get, or fills it.",
    discussion: "How budgets count is told in docs/budgets.md.", subcommands: [show, reset])

  private static let show = Command(
    "show", summary: "Shows each widget's budget, and when it may refresh next.",
    discussion: "Looking changes nothing.", positionals: [token],
    examples: [.init("gatewayctl budget show 8f14e45f", "why does this widget wait?")]
  ) { invocation in
    let token = try invocation.deviceToken(at: 0)
    let answer: AdminClient.Answer<BudgetReport> = try invocation.admin().get(["budgets", token])
    invocation.show(answer) { text(of: $0, at: now, style: invocation.output.style) }
    return .success
  }

  private static let reset = Command(
    "reset", summary: "Fills the budgets of all its widgets.",
    discussion: """
      What waits for a budget goes out at once. A reset is outside the count of refreshes a day, and stands in the
      audit: gatewayctl developer-mode audit.
      """,
    positionals: [token], options: [why, who],
    examples: [.init("gatewayctl budget reset 8f14e45f --why 'a demonstration'", "start afresh")]
  ) { invocation in
    let token = try invocation.deviceToken(at: 0)
    let request = BudgetResetRequest(
      who: invocation.value(who) ?? UnixUser.name, why: try invocation.required(why))
    let answer: AdminClient.Answer<BudgetReport> = try invocation.admin().post(
      ["budgets", token, "reset"], request)
    invocation.show(answer) { text(of: $0, at: now, style: invocation.output.style) }
    return .success
  }

  private static var now: ReportTime { ReportTime(milliseconds: Int64(time(nil)) * 1000) }

  static func text(of report: BudgetReport, at now: ReportTime, style: Style) -> String {
    var table = Table([
      .number("#"), .init("KIND"), .init("FAMILY"), .init("CONFIGURATION"), .init("LEFT"), .init("NEXT REFRESH"),
      .number("A DAY"), .init("IN THE LONG RUN"), .init("MODE"),
    ])
    for widget in report.widgets {
      let budget = widget.budget
      table.add([
        String(widget.index), widget.kind, widget.family, widget.configuration ?? "", BudgetText.left(budget),
        BudgetText.nextRefresh(budget, isLifted: report.developerMode, at: now), String(budget.limit),
        BudgetText.sustained(budget), budget.mode,
      ])
    }
    var text = report.widgets.isEmpty ? "No widgets: nothing to refresh." : table.text(style: style)
    if report.developerMode { text += "\nDeveloper mode is on: budgets are lifted." }
    return text
  }
}
