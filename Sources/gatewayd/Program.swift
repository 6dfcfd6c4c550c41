import CommandLineInterface
import ConfigurationFile
import PushGateway

/// The command line of gatewayd.
enum Program {
  static let gatewayd = Command(
    "gatewayd", summary: "A push gateway for widget updates that answers as APNs does.",
    discussion: "Exit codes: 0 done, 1 refused or failed, 2 wrong usage.",
    examples: [
      .init("gatewayd init --directory dev --bundle-id com.example.caffeine", "make what a laptop needs"),
      .init("gatewayd serve --config dev/gatewayd.toml", "serve it"),
    ],
    subcommands: [
      ServeCommand.command, CheckCommand.command, InitCommand.command, RestoreCommand.command, version,
    ]
  ).generating(
    manual, and: [ShippedDocument("gatewayd.toml.5", ConfigurationReference.manual(source: source))])

  private static let version = Command("version", summary: "Prints the version.") { invocation in
    invocation.output.print("gatewayd \(Gateway.version)")
    return .success
  }

  private static let source = "gatewayd \(Gateway.version)"

  private static let manual = ManualFacts(
    section: 8, source: source, manual: "Push gateway for widget updates", sections: [signals, environment, files],
    seeAlso: ["gatewayctl(1)", "gatewayd.toml(5)", "systemd.service(5)", "systemd.socket(5)"])

  private static let signals = ManualFacts.Section("SIGNALS")
    .with(
      "SIGTERM, SIGINT",
      """
      Drain: nothing new is taken, what is under way ends, for at most lifecycle.drain. A second one ends at once. \
      Neither loses what was accepted.
      """
    )
    .with(
      "SIGHUP",
      """
      Reads the configuration, the certificates and the keys again, all or nothing. What is broken, and what needs a \
      restart, is named in the log.
      """)

  private static let environment = ManualFacts.Section("ENVIRONMENT")
    .with(
      "CREDENTIALS_DIRECTORY", "Where systemd puts what LoadCredential= names; bare names are looked for there first."
    )
    .with("LISTEN_FDS, LISTEN_PID", "Sockets that systemd opened. Each goes to the listener with its address.")
    .with("NOTIFY_SOCKET, WATCHDOG_USEC", "Where systemd is told of readiness, reloads, the drain, and that all turns.")

  private static let files = ManualFacts.Section("FILES")
    .with(ConfigurationFile.standardPath, "The configuration; see gatewayd.toml(5).")
    .with("/var/lib/gatewayd/gateway.sqlite", "The database: accepted pushes, registrations, budgets.")
    .with(
      "/run/gatewayd/admin.sock",
      "The admin socket, for gatewayctl. Root and the members of the group gatewayd may use it.")
}
