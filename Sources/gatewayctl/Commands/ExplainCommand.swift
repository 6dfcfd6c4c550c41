import CommandLineInterface
import GatewayReports

/// `gatewayctl explain ID`
enum ExplainCommand {
  static let command = Command(
    "explain", summary: "Says why widgets did or did not refresh.",
    positionals: [
      Positional("ID", help: "an apns-id or apns-unique-id, or a device token for the last pushes to it")
    ],
    examples: [.init("gatewayctl explain EC1BF194-B3B2-424B-9F1C-5F8A9C1C2C43", "what became of this push")]
  ) { invocation in
    let answer: AdminClient.Answer<ExplainReport> = try invocation.admin().get(["explain", invocation.arguments[0]])
    invocation.show(answer) { text(of: $0, style: invocation.output.style) }
    return answer.report.pushes.isEmpty ? .failure : .success
  }

  static func text(of report: ExplainReport, style: Style) -> String {
    guard !report.pushes.isEmpty else {
      return "Nothing is known of \(report.id.printable): it is too old, or it never arrived here."
    }
    return report.pushes.map { text(of: $0, style: style) }.joined(separator: "\n\n")
  }

  private static func text(of push: PushReport, style: Style) -> String {
    var list = FieldList()
    list.add("apns-id", push.apnsID)
    list.add("apns-unique-id", push.apnsUniqueID)
    list.add("number", push.number.map { String($0) })
    list.add("token", push.token)
    list.add("app", push.app.map { "\($0) (\(push.environment))" } ?? push.environment)
    list.add("received", push.received.description)
    list.add("answer", "\(push.status)" + (push.reason.map { " " + $0 } ?? ""))
    var text = list.text(style: style)
    if let failed = push.checks.first(where: { !$0.passed }) {
      let passed = push.checks.count - 1
      text +=
        "\n\n" + style.red("failed the check '\(failed.check.printable)'")
        + (failed.detail.map { ": " + $0.printable } ?? "") + "; \(passed) before it passed"
    }
    guard !push.decisions.isEmpty else { return text }
    var table = Table([.init("TIME"), .number("#"), .init("KIND"), .init("OUTCOME"), .init("WHY")])
    for decision in push.decisions {
      let until = decision.until.map { ", until \(ReportText.time($0))" } ?? ""
      table.add([
        decision.time.description, decision.widget.map { String($0) } ?? "all", decision.kind ?? "",
        decision.outcome.rawValue, decision.why + until,
      ])
    }
    return text + "\n\n" + table.text(style: style)
  }
}
