import CommandLineInterface
import GatewayReports

/// `gatewayctl registrations [TOKEN]`, and what is done to them by the many
enum RegistrationsCommand {
  private static let app = CommandOption.value("app", "BUNDLE-ID", help: "only the registrations of this app")
  private static let limit = CommandOption.value(
    "limit", "N", help: "at most so many, up to 1000", standard: "100")
  private static let after = CommandOption.value("after", "TOKEN", help: "those that come after this token")

  static let command = Command(
    "registrations", summary: "Lists registrations, or shows one with its widgets.",
    positionals: [Positional("TOKEN", help: "a device token in hex", count: .optional)],
    options: [app, limit, after],
    examples: [
      .init("gatewayctl registrations --app com.example.caffeine", "who has the app"),
      .init("gatewayctl registrations 8f14e45f", "one registration: budgets, marks, last decisions"),
    ],
    subcommands: [
      RegistrationExportCommand.command, RegistrationImportCommand.command, RegistrationSweepCommand.command,
    ]
  ) { invocation in
    let style = invocation.output.style
    if !invocation.arguments.isEmpty {
      let token = try invocation.deviceToken(at: 0)
      let answer: AdminClient.Answer<RegistrationReport> = try invocation.admin().get(["registrations", token])
      invocation.show(answer) { text(of: $0, style: style) }
      return .success
    }
    let count = try invocation.integer(limit, in: 1...1000) ?? 100
    let answer: AdminClient.Answer<RegistrationPage> = try invocation.admin().get(
      ["registrations"],
      query: [("limit", String(count)), ("after", invocation.value(after)), ("app", invocation.value(app))])
    invocation.show(answer) { text(of: $0, style: style) }
    if let next = answer.report.next, !invocation.wantsJSON {
      invocation.output.error("There are more: --after \(next.printable)")
    }
    return .success
  }

  static func text(of page: RegistrationPage, style: Style) -> String {
    guard !page.registrations.isEmpty else { return "No registrations." }
    var table = Table([
      .init("TOKEN"), .init("APP"), .init("ENVIRONMENT"), .init("PLATFORM"), .init("CONNECTED"), .number("WIDGETS"),
      .number("WAITING"), .number("IN FLIGHT"), .init("DEVICE"),
    ])
    for one in page.registrations {
      table.add([
        one.token, one.app, one.environment, one.platform, ReportText.yesNo(one.connected), String(one.widgets),
        String(one.waiting), String(one.inFlight), one.device,
      ])
    }
    return table.text(style: style)
  }

  static func text(of report: RegistrationReport, style: Style) -> String {
    var list = FieldList()
    list.add("token", report.token)
    list.add("topic", report.topic)
    list.add("environment", report.environment)
    list.add("device", "\(report.device) (\(report.platform), \(report.connected ? "connected" : "away"))")
    list.add("developer mode", report.developerMode ? "on: budgets are lifted" : nil)
    guard !report.widgets.isEmpty else { return list.text(style: style) + "\n\nNo widgets: nothing to refresh." }
    var table = Table([
      .number("#"), .init("KIND"), .init("FAMILY"), .init("CONFIGURATION"), .init("BUDGET LEFT"), .init("NEXT"),
      .init("STATE"), .init("LAST DECISION"),
    ])
    for widget in report.widgets {
      table.add([
        String(widget.index), widget.kind, widget.family, widget.configuration ?? "", ReportText.budget(widget.budget),
        ReportText.time(widget.budget.next), state(of: widget), decision(widget.lastDecision),
      ])
    }
    return list.text(style: style) + "\n\n" + table.text(style: style)
  }

  private static func state(of widget: WidgetReport) -> String {
    var parts: [String] = []
    if let mark = widget.mark { parts.append("waits since \(ReportText.time(mark.since)) (\(mark.apnsID))") }
    if let inFlight = widget.inFlight { parts.append("in flight: \(inFlight.eventID)") }
    return parts.isEmpty ? "fresh" : parts.joined(separator: ", ")
  }

  private static func decision(_ decision: DecisionReport?) -> String {
    guard let decision else { return "" }
    let until = decision.until.map { " until \(ReportText.time($0))" } ?? ""
    return "\(decision.outcome.rawValue)\(until): \(decision.why) (\(ReportText.time(decision.time)))"
  }
}
