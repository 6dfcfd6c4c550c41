import CommandLineInterface
import Testing

/// Protects the contract of every program's command line: exit codes, and errors that name the thing and the mend.
@Suite("Command line") struct CommandLineTests {
  private static let level = CommandOption.value("level", "N", short: "l", help: "how much", standard: "1")
  private static let topic = CommandOption.repeatable("topic", "ID", help: "a topic")
  private static let json = CommandOption.flag("json", help: "print JSON")
  private static let span = CommandOption.value("span", "TIME", help: "how long")

  private static let program = Command(
    "tool", summary: "Does things.", options: [json],
    subcommands: [
      Command(
        "brew", summary: "Brews.", positionals: [Positional("POT", help: "which pot")],
        options: [level, topic, span], examples: [.init("tool brew blue --level 2", "brew twice")]
      ) { invocation in
        let number = try invocation.integer(level, in: 1...9) ?? 1
        let span = try invocation.duration(span).map { "\($0)" } ?? "none"
        invocation.output.print(
          "\(invocation.arguments) \(number) \(invocation.values(topic)) \(invocation.has(json)) \(span)")
        return .success
      },
      Command("fail", summary: "Fails.") { _ in throw CommandFailure("the pot is empty: fill it") },
      Command("group", summary: "Groups.", subcommands: [Command("leaf", summary: "Leaf.") { _ in .success }]),
      Command(
        "list", summary: "Lists, and more.", positionals: [Positional("ONE", help: "only this", count: .optional)],
        options: [level],
        subcommands: [
          Command("wash", summary: "Washes.", options: [topic]) { invocation in
            invocation.output.print("wash \(invocation.arguments) \(invocation.values(topic))")
            return .success
          }
        ]
      ) { invocation in
        invocation.output.print("list \(invocation.arguments) \(invocation.value(level) ?? "-")")
        return .success
      },
    ])

  private func run(_ line: String) -> (code: ExitCode, output: String, error: String) {
    let output = Output.captured()
    let code = Self.program.run(line.split(separator: " ").map(String.init), output: output)
    return (code, output.printedText, output.errorText)
  }

  @Test(
    "Options stand anywhere, with = or a space, short or long",
    arguments: [
      ("brew blue --level 3 --topic a --topic=b", #"["blue"] 3 ["a", "b"] false none"#),
      ("--json brew -l 3 blue", #"["blue"] 3 [] true none"#),
      ("brew --level=3 --json -- --odd", #"["--odd"] 3 [] true none"#),
      ("brew blue --level 2 --level 4 --span 500ms", #"["blue"] 4 [] false 0.5 seconds"#),
      ("brew blue --span 3", #"["blue"] 1 [] false 3.0 seconds"#),
      ("list", "list [] -"), ("list blue --level 2", #"list ["blue"] 2"#), ("list blue", #"list ["blue"] -"#),
      ("list wash --topic a", #"wash [] ["a"]"#), ("--json list wash", "wash [] []"),
    ]) func accepted(line: String, expected: String)
  {
    let result = run(line)
    #expect(result.output == expected + "\n")
    #expect(result.code == .success)
    #expect(result.error.isEmpty)
  }

  @Test(
    "A wrong command line exits with 2 and names what is wrong",
    arguments: [
      ("brew blue --levle 3", "tool: unknown option '--levle'; did you mean '--level'?"),
      ("brwe blue", "tool: unknown command 'brwe'; did you mean 'brew'?"),
      ("zzzzzz", "tool: unknown command 'zzzzzz' (there are: brew, fail, group, list)"),
      ("list wash --level 2", "tool: unknown option '--level'"),
      ("list --level 2 wash", "tool: unknown option '--level'"),
      ("list blue wash", "tool: unexpected argument 'wash'"),
      ("brew", "tool: POT is missing: which pot"),
      ("brew blue red", "tool: unexpected argument 'red'"),
      ("brew blue --level", "tool: --level needs a value: --level N, or --level=N"),
      ("brew blue --level --json", "tool: --level needs a value: --level N, or --level=N"),
      ("brew blue --level ten", "tool: --level takes a whole number from 1 to 9, not 'ten'"),
      ("brew blue --level 10", "tool: --level takes a whole number from 1 to 9, not '10'"),
      ("brew blue --json=yes", "tool: --json takes no value"),
      ("brew blue --span 5w", "tool: --span takes a duration such as 30s, 10m, 8h or 2d, not '5w'"),
      (
        "brew blue --span 9223372036854775807d",
        "tool: --span takes a duration such as 30s, 10m, 8h or 2d, not '9223372036854775807d'"
      ),
      ("group", "tool: a command is missing after 'tool group'"),
      ("brew \u{1B}[2J --\u{1B}x", "tool: unknown option '--\\u{1b}x'"),
    ]) func refused(line: String, expected: String)
  {
    let result = run(line)
    #expect(result.code == .usage)
    #expect(result.error.split(separator: "\n").first.map(String.init) == expected)
    #expect(result.error.contains("--help'."))
    #expect(result.output.isEmpty)
  }

  @Test("A failure exits with 1 and one line on standard error") func failure() {
    let result = run("fail")
    #expect(result.code == .failure)
    #expect(result.error == "tool: the pot is empty: fill it\n")
  }

  @Test(
    "The help page has aligned columns, the inherited options and an example",
    arguments: [
      "brew --help", "--help brew", "brew -h blue",
    ]) func help(line: String)
  {
    let result = run(line)
    #expect(result.code == .success)
    #expect(
      result.output == """
        Brews.

        Usage:
          tool brew POT [OPTIONS]

        Arguments:
          POT  which pot

        Options:
          -l, --level N  how much (default 1)
          --topic ID     a topic; may be repeated
          --span TIME    how long

        Common options:
          --json      print JSON
          -h, --help  show this page

        Examples:
          # brew twice
          tool brew blue --level 2

        """)
  }

  @Test("Without a command the program shows its page") func bare() {
    let result = run("")
    #expect(result.code == .success)
    #expect(result.output.contains("Commands:\n  brew   Brews.\n  fail   Fails.\n  group  Groups."))
  }
}
