import CommandLineInterface
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
    subcommands: [ServeCommand.command, CheckCommand.command, InitCommand.command, version])

  private static let version = Command("version", summary: "Prints the version.") { invocation in
    invocation.output.print("gatewayd \(Gateway.version)")
    return .success
  }
}
