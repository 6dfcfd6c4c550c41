import CommandLineInterface
import ConfigurationFile
import GatewayCore
import TokenStore

/// `gatewayd check`
enum CheckCommand {
  private static let config = CommandOption.value(
    "config", "FILE", short: "c", help: "the configuration to check", standard: ConfigurationFile.standardPath)

  static let command = Command(
    "check", summary: "Says whether a configuration would start, and what is wrong with it.",
    discussion: """
      Reads the file and all that it names, as serve would, and starts nothing. Every fault is a line with file, line,
      key and what was expected. Exits with 1 if there is one; warnings do not count.
      """,
    options: [config], examples: [.init("gatewayd check --config gatewayd.toml", "before a reload")]
  ) { invocation in
    let outcome = outcome(of: invocation.value(config) ?? ConfigurationFile.standardPath)
    for line in outcome.complaints { invocation.output.error(line) }
    for line in outcome.lines { invocation.output.print(line) }
    return outcome.exitCode
  }

  struct Outcome: Equatable {
    /// For standard error.
    let complaints: [String]
    /// For standard output.
    let lines: [String]
    let exitCode: ExitCode
  }

  static func outcome(of path: String) -> Outcome {
    let loaded: LoadedConfiguration
    do {
      loaded = try ConfigurationFile.load(path)
    } catch {
      return Outcome(complaints: error.errors.map(\.description), lines: [], exitCode: .failure)
    }
    let check = ConfigurationCheck(loaded)
    let complaints = loaded.warnings.map(\.description) + check.warnings + check.errors.map(\.description)
    guard check.errors.isEmpty else { return Outcome(complaints: complaints, lines: [], exitCode: .failure) }
    return Outcome(complaints: complaints, lines: summary(of: loaded), exitCode: .success)
  }

  private static func summary(of loaded: LoadedConfiguration) -> [String] {
    var lines = ["\(loaded.file) is good."]
    for provider in loaded.gateway.providers {
      let keys = loaded.gateway.providerKeys.filter { $0.environment == provider.environment }.count
      lines.append(
        "  backends  \(provider.listen)  \(provider.environment.rawValue), \(keys) key\(keys == 1 ? "" : "s")"
          + (provider.cleartext ? ", cleartext" : ""))
    }
    if let device = loaded.gateway.device {
      let keys = loaded.gateway.enrolments.count
      lines.append("  devices   \(device.listen)  \(keys) enrolment key\(keys == 1 ? "" : "s")")
    }
    if let socket = loaded.gateway.admin.socket { lines.append("  admin     \(socket)") }
    if let listen = loaded.gateway.admin.listen { lines.append("  admin     \(listen)") }
    lines.append("  store     \(loaded.gateway.store.database)")
    return lines
  }
}
