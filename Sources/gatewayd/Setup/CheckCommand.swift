import CommandLineInterface
import ConfigurationFile
import GatewayCore
import GatewayReports
import PushGateway
import TokenStore

/// `gatewayd check`
enum CheckCommand {
  private static let config = CommandOption.value(
    "config", "FILE", short: "c", help: "the configuration to check", standard: ConfigurationFile.standardPath)

  private static let database = CommandOption.flag(
    "database", help: "check the database in place of the configuration: its pages, its rows, what it holds")
  private static let json = CommandOption.flag("json", help: "print JSON; with --database only")

  static let command = Command(
    "check", summary: "Says whether a configuration would start, and what is wrong with it.",
    discussion: """
      Reads the file and all that it names, as serve would, and starts nothing. Every fault is a line with file, line,
      key and what was expected. Exits with 1 if there is one; warnings do not count. With --database it reads all of
      the configured database, or of FILE, changes nothing in it, and may do so while the gateway runs.
      """,
    positionals: [
      Positional("FILE", help: "with --database: a database or a backup, without any configuration", count: .optional)
    ],
    options: [config, database, json],
    examples: [
      .init("gatewayd check --config gatewayd.toml", "before a reload"),
      .init("gatewayd check --database gateway-backup.sqlite", "whether a backup is good"),
    ]
  ) { invocation in
    if invocation.has(database) { return try checkDatabase(invocation) }
    guard invocation.arguments.isEmpty, !invocation.has(json) else {
      throw UsageError("FILE and --json go with --database", help: invocation.command)
    }
    let outcome = outcome(of: invocation.value(config) ?? ConfigurationFile.standardPath)
    for line in outcome.complaints { invocation.output.error(line) }
    for line in outcome.lines { invocation.output.print(line) }
    return outcome.exitCode
  }

  private static func checkDatabase(_ invocation: Invocation) throws -> ExitCode {
    let path: String
    if let file = invocation.arguments.first {
      path = file
    } else {
      do {
        path = try ConfigurationFile.load(invocation.value(config) ?? ConfigurationFile.standardPath).gateway.store
          .database
      } catch {
        for line in error.errors { invocation.output.error(line.description) }
        return .failure
      }
    }
    let report = try DatabaseExamination.report(of: path)
    if invocation.has(json) {
      try invocation.output.printJSON(report)
    } else {
      invocation.output.print(DatabaseReportText.text(of: report, style: invocation.output.style))
    }
    guard report.isWhole else {
      invocation.output.error(
        "gatewayd: \(path) is damaged: stop the gateway and restore a backup (gatewayd restore BACKUP)")
      return .failure
    }
    return .success
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
