/// Reads a command line against a ``Command`` tree.
struct CommandParser {
  enum Parsed {
    /// From the program to the command asked about.
    case help([Command])
    case run(Command.Action, Invocation)
  }

  let root: Command

  /// Options may stand anywhere, also before the command they belong to; `--` ends them.
  func parse(_ arguments: [String], output: Output) throws(UsageError) -> Parsed {
    var path = [root]
    var words: [String] = []
    var given: [CommandOption: [String]] = [:]
    var rest = arguments[...]
    var optionsEnded = false
    while let word = rest.popFirst() {
      if optionsEnded || !word.hasPrefix("-") || word == "-" {
        if let command = path.last, !command.subcommands.isEmpty, words.isEmpty,
          let next = try subcommand(word, of: command, path: path)
        {
          path.append(next)
        } else {
          words.append(word)
        }
      } else if word == "--" {
        optionsEnded = true
      } else {
        let (option, attached) = try option(word, path: path)
        given[option, default: []].append(try value(of: option, attached: attached, rest: &rest, path: path))
      }
    }
    if given[.help] != nil { return .help(path) }
    // One that stood before its command was judged when the command was not known yet.
    let known = Command.options(of: path)
    if let stray = given.keys.first(where: { !known.contains($0) }) {
      throw UsageError("unknown option '--\(stray.name)'", help: name(of: path))
    }
    guard let command = path.last, let action = command.action else {
      guard given.isEmpty, path.count == 1 else {
        throw UsageError("a command is missing after '\(name(of: path))'", help: name(of: path))
      }
      return .help(path)
    }
    try checkCount(of: words, for: command, path: path)
    let invocation = Invocation(command: name(of: path), output: output, arguments: words, given: given)
    return .run(action, invocation)
  }

  private func subcommand(_ word: String, of command: Command, path: [Command]) throws(UsageError) -> Command? {
    if let found = command.subcommands.first(where: { $0.name == word }) { return found }
    guard command.action == nil else { return nil }
    let names = command.visibleSubcommands.map(\.name)
    let hint = Suggestion.nearest(to: word, among: names).map { "; did you mean '\($0)'?" }
    throw UsageError(
      "unknown command \(word.quoted)" + (hint ?? " (there are: \(names.joined(separator: ", ")))"),
      help: name(of: path))
  }

  private func option(_ word: String, path: [Command]) throws(UsageError) -> (CommandOption, attached: String?) {
    let known = Command.options(of: path) + [.help]
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let attached = parts.count == 2 ? String(parts[1]) : nil
    let name = String(parts[0])
    let found = known.last { option in
      name == "--" + option.name || option.short.map { name == "-" + String($0) } ?? false
    }
    if let found { return (found, attached) }
    let hint = Suggestion.nearest(to: String(name.drop { $0 == "-" }), among: known.map(\.name))
    throw UsageError(
      "unknown option \(name.quoted)" + (hint.map { "; did you mean '--\($0)'?" } ?? ""), help: self.name(of: path))
  }

  private func value(
    of option: CommandOption, attached: String?, rest: inout ArraySlice<String>, path: [Command]
  ) throws(UsageError) -> String {
    guard let placeholder = option.placeholder else {
      guard attached == nil else { throw UsageError("--\(option.name) takes no value", help: name(of: path)) }
      return ""
    }
    if let attached { return attached }
    // A forgotten value must not swallow the next option.
    if let next = rest.first, next == "-" || !next.hasPrefix("-") {
      rest.removeFirst()
      return next
    }
    throw UsageError(
      "--\(option.name) needs a value: --\(option.name) \(placeholder), or --\(option.name)=\(placeholder)",
      help: name(of: path))
  }

  private func checkCount(of words: [String], for command: Command, path: [Command]) throws(UsageError) {
    var remaining = words.count
    for positional in command.positionals {
      switch positional.count {
      case .one:
        guard remaining > 0 else {
          throw UsageError("\(positional.name) is missing: \(positional.help)", help: name(of: path))
        }
        remaining -= 1
      case .optional: remaining = max(0, remaining - 1)
      case .many: remaining = 0
      }
    }
    if remaining > 0 {
      throw UsageError("unexpected argument \(words[words.count - remaining].quoted)", help: name(of: path))
    }
  }

  private func name(of path: [Command]) -> String { path.map(\.name).joined(separator: " ") }
}
