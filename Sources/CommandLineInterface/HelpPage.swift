/// The `--help` page of one command.
struct HelpPage {
  /// From the program to the command.
  let path: [Command]
  let style: Style

  var text: String {
    guard let command = path.last else { return "" }
    var sections = [command.summary]
    sections.append(heading("Usage") + "\n  " + usage(of: command))
    if let discussion = command.discussion { sections.append(discussion) }
    if !command.positionals.isEmpty {
      sections.append(section("Arguments", command.positionals.map { ($0.name, $0.help) }))
    }
    if !command.visibleSubcommands.isEmpty {
      sections.append(section("Commands", command.visibleSubcommands.map { ($0.name, $0.summary) }))
    }
    let inherited = path.dropLast().flatMap(\.sharedOptions)
    if !command.options.isEmpty { sections.append(section("Options", command.options.map(row))) }
    sections.append(
      section(command.options.isEmpty ? "Options" : "Common options", (inherited + [.help]).map(row)))
    if !command.examples.isEmpty {
      let examples = command.examples.map { "  # \($0.purpose)\n  \($0.line)" }
      sections.append(heading("Examples") + "\n" + examples.joined(separator: "\n"))
    }
    return sections.joined(separator: "\n\n")
  }

  private func usage(of command: Command) -> String {
    var words = path.map(\.name)
    if !command.subcommands.isEmpty { words.append(command.action == nil ? "COMMAND" : "[COMMAND]") }
    words += command.positionals.map(\.synopsis)
    words.append("[OPTIONS]")
    return words.joined(separator: " ")
  }

  private func row(_ option: CommandOption) -> (String, String) {
    var left = option.short.map { "-\($0), " } ?? ""
    left += "--" + option.name
    if let placeholder = option.placeholder { left += " " + placeholder }
    return (left, option.meaning)
  }

  private func heading(_ title: String) -> String { style.bold(title + ":") }

  private func section(_ title: String, _ rows: [(left: String, right: String)]) -> String {
    let width = rows.map { $0.left.count }.max() ?? 0
    let lines = rows.map { row in
      "  " + row.left + String(repeating: " ", count: width - row.left.count + 2) + row.right
    }
    return heading(title) + "\n" + lines.joined(separator: "\n")
  }
}
