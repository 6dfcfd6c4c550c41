/// A file that is shipped beside a program and follows from the program's own tables: a manual page, a completion.
/// Such files are made when a package is, and never kept, so they cannot be of another version than the program.
package struct ShippedDocument: Sendable {
  /// The file's name, such as `gatewayd.8`.
  package let name: String
  package let text: String

  package init(_ name: String, _ text: String) {
    self.name = name
    self.text = text
  }
}

extension Command {
  /// The program with a hidden command `generate`, which prints what is shipped beside it: its manual page, its
  /// completions for bash, zsh and fish, and `more`.
  package func generating(_ manual: ManualFacts, and more: [ShippedDocument] = []) -> Command {
    let documents = shippedDocuments(manual) + more
    let names = documents.map(\.name).joined(separator: ", ")
    let document = Positional("FILE", help: "one of \(names)")
    let generate = Command(
      "generate", summary: "Prints a file that is shipped beside the program.", positionals: [document],
      examples: [.init("\(name) generate \(name).bash", "completions for bash")], isHidden: true
    ) { invocation in
      let wanted = invocation.arguments[0]
      guard let found = documents.first(where: { $0.name == wanted }) else {
        throw UsageError("no such file: \(wanted.quoted); there are \(names)", help: invocation.command)
      }
      // The text ends its own last line.
      invocation.output.print(String(found.text.dropLast(found.text.hasSuffix("\n") ? 1 : 0)))
      return .success
    }
    return Command(
      name, summary: summary, discussion: discussion, options: options, examples: examples,
      subcommands: subcommands + [generate])
  }

  private func shippedDocuments(_ manual: ManualFacts) -> [ShippedDocument] {
    [
      ShippedDocument("\(name).\(manual.section)", ManualPage(program: self, facts: manual).text),
      ShippedDocument("\(name).bash", BashCompletion(program: self).text),
      ShippedDocument("_\(name)", ZshCompletion(program: self).text),
      ShippedDocument("\(name).fish", FishCompletion(program: self).text),
    ]
  }
}
