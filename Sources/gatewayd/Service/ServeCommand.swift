import CommandLineInterface
import ConfigurationFile
import GatewayCore
import GatewayIO

/// `gatewayd serve`
enum ServeCommand {
  private static let config = CommandOption.value(
    "config", "FILE", short: "c", help: "the configuration to serve", standard: ConfigurationFile.standardPath)

  static let command = Command(
    "serve", summary: "Serves providers, devices and operators until it is told to end.",
    discussion: """
      TERM and INT drain and end, a second one ends at once; HUP reloads configuration, certificates and keys. What is \
      accepted is never lost either way. Exits with 1 when it cannot start, and when the disk did not take its last \
      commits: the pushes in those were not answered 200.
      """,
    options: [config], examples: [.init("gatewayd serve --config gatewayd.toml", "in the foreground")]
  ) { invocation in
    // Before any other thread exists: threads inherit the mask.
    SignalSource.blockSignals()
    OpenFileLimit.raise()
    let path = invocation.value(config) ?? ConfigurationFile.standardPath
    let loaded: LoadedConfiguration
    do throws(ConfigurationErrors) {
      loaded = try ConfigurationFile.load(path)
    } catch {
      for line in error.errors { invocation.output.error(line.description) }
      return .failure
    }
    // Before the gateway is made, so that a fault has its line in the file.
    let check = ConfigurationCheck(loaded)
    for warning in loaded.warnings.map(\.description) + check.warnings { invocation.output.error(warning) }
    guard check.errors.isEmpty else {
      for error in check.errors { invocation.output.error(error.description) }
      return .failure
    }
    return try Service(loaded).run() ? .success : .failure
  }
}
