/// A command and how one gets to it, for pages and completions that cover a whole program.
struct CommandPath {
  /// From the program to the command; never empty.
  let commands: [Command]
  let command: Command

  init(program: Command) {
    commands = [program]
    command = program
  }

  private init(_ commands: [Command], _ command: Command) {
    self.commands = commands + [command]
    self.command = command
  }

  /// As it is typed, such as `gatewayctl developer-mode on`.
  var name: String { commands.map(\.name).joined(separator: " ") }

  var subcommands: [Command] { command.visibleSubcommands }

  /// Everything that may be typed here, inherited options and `--help` included.
  var options: [CommandOption] { Command.options(of: commands) + [.help] }

  /// What the command and its groups take, without the program's own.
  var ownOptions: [CommandOption] { Command.options(of: Array(commands.dropFirst())) }

  /// The program and every visible command below it, each before its own.
  static func all(of program: Command) -> [CommandPath] { CommandPath(program: program).andBelow }

  /// The commands that do something.
  static func leaves(of program: Command) -> [CommandPath] {
    all(of: program).filter { $0.command.action != nil }
  }

  private var andBelow: [CommandPath] {
    [self] + subcommands.flatMap { CommandPath(commands, $0).andBelow }
  }
}

extension CommandOption {
  /// With the dashes, as they are typed.
  var spellings: [String] { ["--" + name] + (short.map { ["-\($0)"] } ?? []) }

  var takesValue: Bool { placeholder != nil }

  /// Whether a shell should offer files for its value.
  var takesFile: Bool {
    switch placeholder {
    case "FILE", "DIR", "PATH": true
    default: false
    }
  }
}
