import CommandLineInterface
import GatewayReports

/// `gatewayctl registrations sweep --older-than 90d`
enum RegistrationSweepCommand {
  private static let olderThan = CommandOption.value(
    "older-than", "DURATION", help: "for how long nothing was heard of the device, at least 1d")
  private static let app = CommandOption.value(
    "app", "BUNDLE-ID", help: "only this app's registrations; their devices stay")
  private static let dryRun = CommandOption.flag("dry-run", help: "count, and remove nothing")
  private static let who = CommandOption.value(
    "who", "NAME", help: "who sweeps, for the audit", standard: "your user name")

  static let command = Command(
    "sweep", summary: "Removes registrations whose devices have been silent for long.",
    discussion: """
      Their tokens answer 410 from then on, as those of apps that were removed, and a backend forgets them. Without
      --app the devices leave, too: one that comes back after all enrols anew. An export made before brings them back.
      """,
    options: [olderThan, app, dryRun, who],
    examples: [
      .init("gatewayctl registrations sweep --older-than 90d --dry-run", "how many would it be?"),
      .init("gatewayctl registrations sweep --older-than 90d", "remove them"),
    ]
  ) { invocation in
    _ = try invocation.required(olderThan)
    guard let age = try invocation.duration(olderThan), age >= .seconds(86_400) else {
      throw invocation.refusing(
        olderThan, invocation.value(olderThan) ?? "", expected: "a duration of at least a day, such as 90d")
    }
    let request = SweepRequest(
      olderThanSeconds: Int(age.components.seconds), app: invocation.value(app), dryRun: invocation.has(dryRun),
      who: invocation.value(who) ?? UnixUser.name)
    let answer: AdminClient.Answer<SweepReport> = try invocation.admin().post(
      ["registrations", "sweep"], request, seconds: AdminClient.patience)
    invocation.show(answer) { text(of: $0) }
    return .success
  }

  static func text(of report: SweepReport) -> String {
    let devices = report.devices > 0 ? ", and \(report.devices) devices" : ""
    return "\(report.stale) of \(report.registrations) registrations\(devices) "
      + (report.dryRun ? "would be removed." : "were removed.")
  }
}
