import CommandLineInterface

extension Invocation {
  /// The gateway that `--socket` or the configuration names.
  func admin() throws -> AdminClient {
    if let path = value(GlobalOptions.socket) { return AdminClient(socket: path) }
    throw UsageError("--socket PATH is required: the gateway's admin socket", help: command)
  }

  var wantsJSON: Bool { has(GlobalOptions.json) }

  /// Prints the API's own JSON when asked to, and otherwise what `text` makes of the report.
  func show<Report>(_ answer: AdminClient.Answer<Report>, as text: (Report) -> String) {
    output.print(wantsJSON ? answer.json : text(answer.report))
  }
}
