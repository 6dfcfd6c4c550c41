/// What fish loads to complete a program's command lines.
struct FishCompletion {
  let program: Command

  var text: String {
    let function = "__\(program.name)"
    let paths = CommandPath.all(of: program)
    return """
      # fish completion for \(program.name), generated from its own table of commands.

      # True at the command that the argument names, such as '\(paths.last?.name ?? program.name)'.
      function \(function)_at
        set -l place '\(program.name)'
        set -l option ''
        for word in (commandline -opc)[2..-1]
          set -l commands
          set -l valued
          switch $place
      \(paths.map(arm).joined(separator: "\n"))
          end
          if test -n "$option"
            set option ''
          else if contains -- $word $valued
            set option $word
          else if contains -- $word $commands
            set place "$place $word"
          end
        end
        test "$place" = "$argv[1]"
      end

      complete -c \(program.name) -f
      \(paths.flatMap(lines).joined(separator: "\n"))

      """
  }

  private func arm(_ path: CommandPath) -> String {
    let commands = path.subcommands.map(\.name)
    let valued = path.options.filter(\.takesValue).flatMap(\.spellings)
    return """
          case \(Self.quoted(path.name))
            set commands \(commands.joined(separator: " "))
            set valued \(valued.joined(separator: " "))
      """
  }

  private func lines(_ path: CommandPath) -> [String] {
    let here = "complete -c \(program.name) -n \(Self.quoted("__\(program.name)_at '\(path.name)'"))"
    let commands = path.subcommands.map { "\(here) -a \($0.name) -d \(Self.quoted($0.summary))" }
    let options = path.options.map { option in
      let short = option.short.map { " -s \($0)" } ?? ""
      let value = option.takesFile ? " -r -F" : option.takesValue ? " -x" : ""
      return "\(here) -l \(option.name)\(short)\(value) -d \(Self.quoted(option.meaning))"
    }
    return commands + options
  }

  /// In fish's single quotes a backslash and a quote are the only ones that need one before them.
  private static func quoted(_ text: String) -> String {
    var quoted = "'"
    for character in text {
      if character == "'" || character == "\\" { quoted.append("\\") }
      quoted.append(character)
    }
    return quoted + "'"
  }
}
