import CommandLineInterface
import Foundation
import GatewayReports

/// `gatewayctl explain`
enum ExplainCommand {
  private static let table = CommandOption.flag(
    "table", help: "a line for each widget and push, where it stands now; the standard for several IDs")
  private static let last = CommandOption.value("last", "N", help: "only the last N pushes of each ID")
  private static let pushes = CommandOption.value(
    "pushes", "FILE", help: "a table of pushes, refused ones too: FILE has lines of push --json")

  static let command = Command(
    "explain", summary: "Says why widgets did or did not refresh.",
    positionals: [
      Positional("ID", help: "an apns-id, or a device token for the last pushes to it", count: .many)
    ],
    options: [table, last, pushes],
    examples: [
      .init("gatewayctl explain EC1BF194-B3B2-424B-9F1C-5F8A9C1C2C43", "what became of this push"),
      .init("gatewayctl explain 8f14e45f --table --last 5", "how the last five pushes to this token stand"),
      .init("gatewayctl push 8f14e45f --json >>sent && gatewayctl explain --pushes sent", "of pushes made by hand"),
    ]
  ) { invocation in
    let ids = invocation.arguments
    let count = try invocation.integer(last, in: 1...1_000_000)
    guard !ids.isEmpty || invocation.value(pushes) != nil else {
      throw UsageError("ID is missing: an apns-id or a device token", help: invocation.command)
    }
    let admin = try invocation.admin()
    if ids.count == 1, count == nil, invocation.value(pushes) == nil, !invocation.has(table) {
      let answer: AdminClient.Answer<ExplainReport> = try admin.get(["explain", ids[0]])
      invocation.show(answer) { text(of: $0, style: invocation.output.style) }
      return answer.report.pushes.isEmpty ? .failure : .success
    }
    var explanation = Explanation(admin: admin)
    if let file = invocation.value(pushes) { try explanation.add(results: try results(in: file)) }
    for id in ids { try explanation.add(id: id, last: count ?? .max) }
    if invocation.wantsJSON {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      invocation.output.print(String(decoding: try encoder.encode(explanation.outcomes), as: UTF8.self))
    } else {
      invocation.output.print(
        explanation.outcomes.isEmpty
          ? "No pushes." : OutcomeTable.text(of: explanation.outcomes, style: invocation.output.style))
    }
    return explanation.outcomes.isEmpty ? .failure : .success
  }

  /// What `push --json` printed, once or several times.
  private static func results(in file: String) throws -> [PushResult] {
    let bytes = try InputFile.read(file, what: "the pushes")
    return try bytes.split(separator: UInt8(ascii: "\n")).enumerated().flatMap { number, line in
      do {
        return try JSONDecoder().decode([PushResult].self, from: Data(line))
      } catch {
        throw CommandFailure("\(file):\(number + 1): expected a line that gatewayctl push --json has printed")
      }
    }
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
