import CommandLineInterface
import ConfigurationFile
import GatewayCore
import GatewayReports
import PushGateway

/// `gatewayd restore`
enum RestoreCommand {
  private static let config = CommandOption.value(
    "config", "FILE", short: "c", help: "whose [store] database is replaced", standard: ConfigurationFile.standardPath)

  static let command = Command(
    "restore", summary: "Puts a backup in the database's place, while the gateway is stopped.",
    discussion: """
      The backup is checked first, and refused when it is damaged or newer than this gatewayd. The database that was
      there is kept beside it, as FILE-replaced, or -replaced-2 and so on. Everything is then as it was at the moment of the
      backup; the next start begins a new epoch, so that no receipt of a device is taken for another event's.
      """,
    positionals: [Positional("BACKUP", help: "a file that gatewayctl backup has made")], options: [config],
    examples: [.init("gatewayd restore /root/gateway-backup.sqlite", "after systemctl stop gatewayd")]
  ) { invocation in
    let path = invocation.value(config) ?? ConfigurationFile.standardPath
    let loaded: LoadedConfiguration
    do throws(ConfigurationErrors) {
      loaded = try ConfigurationFile.load(path)
    } catch {
      for line in error.errors { invocation.output.error(line.description) }
      return .failure
    }
    let backup = invocation.arguments[0]
    let report = try DatabaseExamination.report(of: backup)
    guard report.isWhole else {
      invocation.output.error(DatabaseReportText.text(of: report, style: invocation.output.errorStyle))
      throw CommandFailure("\(backup) is damaged and was not restored")
    }
    let replaced = try DatabaseRestoration.replace(loaded.gateway.store.database, with: backup)
    invocation.output.print(
      "\(loaded.gateway.store.database) is now as \(backup), of \(report.lastCommit.map { "\($0)" } ?? "no commit").")
    if let replaced { invocation.output.print("What was there is kept: \(replaced)") }
    return .success
  }
}
