import CommandLineInterface
import FoundationEssentials
import GatewayReports

/// `gatewayctl explain`
enum ExplainCommand {
  private static let table = CommandOption.flag(
    "table", help: "a line for each widget and push, where it stands now; the standard for several IDs")
  private static let last = CommandOption.value(
    "last", "N", help: "the last N pushes, of all or of each ID", standard: "20")
  private static let refused = CommandOption.flag(
    "refused", help: "the last pushes that were refused, those without a valid credential apart")
  private static let pushes = CommandOption.value(
    "pushes", "FILE", help: "a table of pushes, refused ones too: FILE has lines of push --json")

  static let command = Command(
    "explain", summary: "Says why widgets did or did not refresh.",
    positionals: [
      Positional("ID", help: "an apns-id or apns-unique-id, or a device token for the pushes to it", count: .many)
    ],
    options: [table, last, refused, pushes],
    examples: [
      .init("gatewayctl explain EC1BF194-B3B2-424B-9F1C-5F8A9C1C2C43", "what became of this push"),
      .init("gatewayctl explain --last 20 --refused", "what was refused lately, and why"),
      .init("gatewayctl explain 8f14e45f --table --last 5", "how the last five pushes to this token stand"),
      .init("gatewayctl push 8f14e45f --json >>sent && gatewayctl explain --pushes sent", "of pushes made by hand"),
    ]
  ) { invocation in
    let ids = try invocation.arguments.indices.map { try invocation.explained(at: $0) }
    let count = try invocation.integer(last, in: 1...200)
    if ids.isEmpty, invocation.value(pushes) == nil {
      guard count != nil || invocation.has(refused) else {
        throw UsageError(
          "ID is missing: an apns-id, an apns-unique-id or a device token; or give --last N", help: invocation.command)
      }
      return try list(last: count ?? 20, invocation)
    }
    guard !invocation.has(refused) else {
      throw UsageError("--refused lists pushes of all; leave the ID out", help: invocation.command)
    }
    let admin = try invocation.admin()
    if ids.count == 1, count == nil, invocation.value(pushes) == nil, !invocation.has(table) {
      let answer: AdminClient.Answer<ExplainReport> = try admin.get(["explain", ids[0]])
      invocation.show(answer) { ExplainText.text(of: $0, style: invocation.output.style) }
      return answer.report.pushes.isEmpty ? .failure : .success
    }
    var explanation = Explanation(admin: admin)
    if let file = invocation.value(pushes) { try explanation.add(results: try results(in: file)) }
    for id in ids { try explanation.add(id: id, last: count ?? .max) }
    if invocation.wantsJSON {
      try invocation.output.printJSON(explanation.outcomes)
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

  private static func list(last count: Int, _ invocation: Invocation) throws -> ExitCode {
    let isRefused = invocation.has(refused)
    let answer: AdminClient.Answer<ExplainListReport> = try invocation.admin().get(
      ["explain"], query: [("last", String(count)), ("refused", isRefused ? "true" : "false")])
    invocation.show(answer) { ExplainText.text(of: $0, refused: isRefused, style: invocation.output.style) }
    return .success
  }
}
