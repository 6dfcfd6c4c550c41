import CommandLineInterface
import GatewayReports

/// `gatewayctl budget TOKEN`
enum BudgetCommand {
  private static let reset = CommandOption.flag("reset", help: "fill the budgets of all its widgets")
  private static let who = CommandOption.value(
    "who", "NAME", help: "who resets, for the log", standard: "your user name")

  static let command = Command(
    "budget", summary: "Shows what the widgets of a registration may still get, or fills it.",
    discussion: "Looking changes nothing.", positionals: [Positional("TOKEN", help: "a device token in hex")],
    options: [reset, who],
    examples: [
      .init("gatewayctl budget 8f14e45f", "look"), .init("gatewayctl budget 8f14e45f --reset", "start afresh"),
    ]
  ) { invocation in
    let admin = try invocation.admin()
    let answer: AdminClient.Answer<BudgetReport>
    if invocation.has(reset) {
      let name = invocation.value(who) ?? UnixUser.name
      answer = try admin.post(["budgets", invocation.arguments[0], "reset"], ["who": name])
    } else {
      answer = try admin.get(["budgets", invocation.arguments[0]])
    }
    invocation.show(answer) { text(of: $0, style: invocation.output.style) }
    return .success
  }

  static func text(of report: BudgetReport, style: Style) -> String {
    var table = Table([
      .number("#"), .init("KIND"), .init("FAMILY"), .init("CONFIGURATION"), .number("LEFT"), .number("BURST"),
      .number("A DAY"), .init("NEXT"), .init("MODE"),
    ])
    for widget in report.widgets {
      let budget = widget.budget
      table.add([
        String(widget.index), widget.kind, widget.family, widget.configuration ?? "", String(budget.remaining),
        String(budget.burst), String(budget.limit), ReportText.time(budget.next), budget.mode,
      ])
    }
    var text = report.widgets.isEmpty ? "No widgets: nothing to refresh." : table.text(style: style)
    if report.developerMode { text += "\nDeveloper mode is on: budgets are lifted." }
    return text
  }
}
