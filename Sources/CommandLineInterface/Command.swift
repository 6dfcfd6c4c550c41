/// A program or one of its commands, declared as a value: what it takes, how its help page reads, what it does.
/// A command has subcommands, or does something itself, or both: then a word that names a subcommand is one.
package struct Command: Sendable {
  /// A command line that works when pasted, and what it is for.
  package struct Example: Sendable {
    let line: String
    let purpose: String

    package init(_ line: String, _ purpose: String) {
      self.line = line
      self.purpose = purpose
    }
  }

  package typealias Action = @Sendable (Invocation) throws -> ExitCode

  package let name: String
  package let summary: String
  package let discussion: String?
  package let positionals: [Positional]
  /// Understood by this command and, where it does nothing itself, by all below it.
  package let options: [CommandOption]
  package let examples: [Example]
  package let subcommands: [Command]
  package let action: Action?
  /// Works, and stands on no page: for those who package the program.
  package let isHidden: Bool

  /// A command that does something, and may have others below it, which do not take its own options. The action may throw ``UsageError`` (exit code 2); any other error ends with 1.
  package init(
    _ name: String, summary: String, discussion: String? = nil, positionals: [Positional] = [],
    options: [CommandOption] = [], examples: [Example] = [], subcommands: [Command] = [], isHidden: Bool = false,
    action: @escaping Action
  ) {
    self.name = name
    self.summary = summary
    self.discussion = discussion
    self.positionals = positionals
    self.options = options
    self.examples = examples
    self.subcommands = subcommands
    self.action = action
    self.isHidden = isHidden
  }

  /// What may be given to the command at the end of a path from the program to it.
  static func options(of path: [Command]) -> [CommandOption] {
    path.dropLast().flatMap(\.sharedOptions) + (path.last?.options ?? [])
  }

  /// A command that only groups others.
  package init(
    _ name: String, summary: String, discussion: String? = nil, options: [CommandOption] = [],
    examples: [Example] = [], subcommands: [Command]
  ) {
    self.name = name
    self.summary = summary
    self.discussion = discussion
    self.positionals = []
    self.options = options
    self.examples = examples
    self.subcommands = subcommands
    self.action = nil
    self.isHidden = false
  }

  /// Understood by all below it.
  var sharedOptions: [CommandOption] { action == nil ? options : [] }

  var visibleSubcommands: [Command] { subcommands.filter { !$0.isHidden } }

  /// Parses, acts and reports: help pages on standard output, failures as one line `program: …` on standard error.
  ///
  /// - Parameter arguments: without the program's own name.
  package func run(_ arguments: [String], output: Output) -> ExitCode {
    do {
      switch try CommandParser(root: self).parse(arguments, output: output) {
      case .help(let path): output.print(HelpPage(path: path, style: output.style).text)
      case .run(let action, let invocation): return try action(invocation)
      }
      return .success
    } catch let error as UsageError {
      output.error("\(name): \(error.message)")
      output.error("Try '\(error.help ?? name) --help'.")
      return .usage
    } catch let failure as CommandFailure {
      output.error("\(name): \(failure.message)")
      return .failure
    } catch {
      output.error("\(name): \(error)")
      return .failure
    }
  }
}
