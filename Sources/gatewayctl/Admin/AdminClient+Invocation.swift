import CommandLineInterface

extension Invocation {
  /// Prints the API's own JSON when asked to, and otherwise what `text` makes of the report.
  func show<Report>(_ answer: AdminClient.Answer<Report>, as text: (Report) -> String) {
    output.print(wantsJSON ? answer.json : text(answer.report))
  }
}
