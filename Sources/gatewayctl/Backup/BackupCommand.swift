import CommandLineInterface
import GatewayReports
import Glibc
import TokenStore
import TokenStoreSQLite

/// `gatewayctl backup FILE`
enum BackupCommand {
  static let command = Command(
    "backup", summary: "Saves a copy of the running gateway's database, of one moment and complete.",
    discussion: """
      The gateway goes on meanwhile. FILE is new, readable by you alone, and has its name only once all of it is there
      and was found whole. It holds device keys as hashes, tokens and payloads: keep it as you keep the database. The
      gateway needs as much free space beside its database while it copies. gatewayd restore FILE brings it back.
      """,
    positionals: [Positional("FILE", help: "where the copy goes; nothing is overwritten")],
    examples: [.init("gatewayctl backup /root/gateway-$(date +%F).sqlite", "each night, from a timer")]
  ) { invocation in
    let admin = try invocation.admin()
    let file = invocation.arguments[0]
    var saved: Saved?
    try OutputFile.make(file, what: "the backup") { descriptor in
      // The gateway copies before it sends.
      try admin.download(
        ["backup"], method: "POST", seconds: AdminClient.patience, to: descriptor, named: file)
    } check: { written in
      saved = try Saved(file: file, written: written)
    }
    guard let saved else { return .failure }
    if invocation.wantsJSON {
      try invocation.output.printJSON(saved)
    } else {
      invocation.output.print(
        "\(file): \(saved.bytes) bytes, whole: \(ReportText.count(saved.devices, "device")), "
          + "\(ReportText.count(saved.registrations, "registration")), of \(ReportText.time(saved.lastCommit))")
    }
    return .success
  }

  /// What was saved, as read from the file itself.
  struct Saved: Encodable {
    var file: String
    var bytes: Int
    var schema: Int
    var devices: Int
    var registrations: Int
    /// nil: the store had none yet.
    var lastCommit: ReportTime?

    init(file: String, written: String) throws {
      let inspection: StoreInspection
      do {
        inspection = try StoreInspection(path: written)
      } catch {
        throw CommandFailure("what the gateway sent is no backup: \(error)")
      }
      if let finding = inspection.findings(limit: 1).first {
        throw CommandFailure(
          "the gateway's database is damaged (\(finding)), so this is no backup and was not kept; "
            + "gatewayd check --database says more")
      }
      self.file = file
      bytes = inspection.bytes
      schema = inspection.schema
      devices = try inspection.count(of: .device) ?? 0
      registrations = try inspection.count(of: .registration) ?? 0
      lastCommit = inspection.lastClock.map { ReportTime(milliseconds: $0.wall) }
    }
  }
}
