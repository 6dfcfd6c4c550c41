import CommandLineInterface

/// The command line of gatewayctl.
enum Program {
  static let gatewayctl = Command(
    "gatewayctl", summary: "Asks a running gatewayd, pushes to it, and plays devices.",
    discussion: """
      Exit codes: 0 done, 1 refused or failed, 2 wrong usage. What is printed for people may change; scripts read
      --json.
      """,
    options: GlobalOptions.all,
    examples: [
      .init("gatewayctl --config gatewayd.toml status", "how the gateway is"),
      .init("gatewayctl explain TOKEN", "why a widget did or did not refresh"),
    ],
    subcommands: [
      StatusCommand.command, RegistrationsCommand.command, BudgetCommand.command, DeveloperModeCommand.command,
      ExplainCommand.command, PushCommand.command, FanOutCommand.command, TokenCommand.command, SimulateCommand.command,
    ])
}
