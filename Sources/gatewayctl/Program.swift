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
      BackupCommand.command,
    ]
  ).generating(manual)

  private static let manual = ManualFacts(
    section: 1, source: "gatewayd", manual: "Push gateway for widget updates", sections: [files],
    seeAlso: ["gatewayd(8)", "gatewayd.toml(5)"])

  private static let files = ManualFacts.Section("FILES")
    .with(
      GlobalOptions.standardConfiguration,
      """
      The gateway's configuration, unless --config names another. It need not be there when --socket or --server say \
      enough.
      """
    )
    .with(
      "/run/gatewayd/admin.sock", "The admin socket. Root and the members of the group gatewayd may use it.")
}
