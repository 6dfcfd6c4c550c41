/// What a program's manual page says that its commands do not.
package struct ManualFacts: Sendable {
  /// A section of its own, such as FILES: terms and their meanings.
  package struct Section: Sendable {
    let title: String
    private(set) var items: [(term: String, meaning: String)] = []

    package init(_ title: String) { self.title = title }

    package func with(_ term: String, _ meaning: String) -> Section {
      var section = self
      section.items.append((term, meaning))
      return section
    }
  }

  /// 1 for users, 8 for operators.
  package let section: Int
  /// The package and its version.
  package let source: String
  package let manual: String
  package let sections: [Section]
  /// Other pages, such as `gatewayd(8)`.
  package let seeAlso: [String]

  package init(section: Int, source: String, manual: String, sections: [Section], seeAlso: [String]) {
    self.section = section
    self.source = source
    self.manual = manual
    self.sections = sections
    self.seeAlso = seeAlso
  }
}

/// The manual page of a program with all its commands, from what `--help` shows of each.
struct ManualPage {
  let program: Command
  let facts: ManualFacts

  var text: String {
    var page = Roff(title: program.name, section: facts.section, source: facts.source, manual: facts.manual)
    page.section("NAME")
    page.body("\(program.name) - \(Self.phrase(program.summary))")
    page.section("SYNOPSIS")
    page.synopsis([.bold(program.name), .plain(" "), .italic("COMMAND"), .plain(" [OPTIONS]")], first: true)
    page.synopsis([.bold("\(program.name) --help")], first: false)
    page.section("DESCRIPTION")
    page.body(program.summary)
    if let discussion = program.discussion { page.paragraph(discussion) }
    page.paragraph("Options may stand anywhere, as --option VALUE or --option=VALUE; -- ends them.")
    page.section("COMMANDS")
    for path in CommandPath.leaves(of: program) { describe(path, in: &page) }
    page.section("OPTIONS")
    page.body("Every command takes these.")
    for option in program.options + [.help] { describe(option, in: &page) }
    page.section("EXIT STATUS")
    for code in ExitCode.allCases { page.item([.bold("\(code.rawValue)")], code.meaning) }
    for section in facts.sections {
      page.section(section.title)
      for item in section.items { page.item([.bold(item.term)], item.meaning) }
    }
    describe(program.examples, in: &page)
    page.section("SEE ALSO")
    page.body(facts.seeAlso.joined(separator: ", "))
    return page.text
  }

  private func describe(_ path: CommandPath, in page: inout Roff) {
    let command = path.command
    page.subsection(path.name)
    var synopsis: [Roff.Span] = [.bold(path.name)]
    for positional in command.positionals { synopsis += [.plain(" "), .italic(positional.synopsis)] }
    page.synopsis(synopsis + [.plain(" [OPTIONS]")], first: true)
    page.paragraph(command.summary)
    if let discussion = command.discussion { page.paragraph(discussion) }
    for positional in command.positionals { page.item([.italic(positional.name)], Self.sentence(positional.help)) }
    for option in path.ownOptions { describe(option, in: &page) }
    for example in command.examples {
      page.paragraph("Example, \(example.purpose):")
      page.literal([example.line])
    }
  }

  private func describe(_ option: CommandOption, in page: inout Roff) {
    var term: [Roff.Span] = []
    if let short = option.short { term += [.bold("-\(short)"), .plain(", ")] }
    term.append(.bold("--\(option.name)"))
    if let placeholder = option.placeholder { term += [.plain(" "), .italic(placeholder)] }
    page.item(term, Self.sentence(option.meaning))
  }

  private func describe(_ examples: [Command.Example], in page: inout Roff) {
    guard !examples.isEmpty else { return }
    page.section("EXAMPLES")
    for (index, example) in examples.enumerated() {
      let purpose = Self.sentence(example.purpose, end: ":")
      if index == 0 { page.body(purpose) } else { page.paragraph(purpose) }
      page.literal([example.line])
    }
  }

  /// `Does this.` as the line of NAME wants it: `does this`.
  private static func phrase(_ sentence: String) -> String {
    sentence.prefix(1).lowercased() + sentence.dropFirst().trimmingEnd(".")
  }

  private static func sentence(_ phrase: String, end: String = ".") -> String {
    phrase.prefix(1).uppercased() + phrase.dropFirst() + (phrase.hasSuffix(".") ? "" : end)
  }
}

extension Substring {
  fileprivate func trimmingEnd(_ end: Character) -> Substring { last == end ? dropLast() : self }
}
