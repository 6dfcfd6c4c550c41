import CommandLineInterface
import GatewayReports

/// How `gatewayd check --database` and `gatewayd restore` read to people.
enum DatabaseReportText {
  static func text(of report: DatabaseReport, style: Style) -> String {
    var list = FieldList()
    list.add("database", "\(report.path), \(report.bytes) bytes, " + (report.isWhole ? "whole" : "DAMAGED"))
    for finding in report.findings { list.add("finding", finding) }
    let newer =
      report.schema < report.newestSchema ? ", which the next start brings to \(report.newestSchema)" : ""
    list.add("schema", "\(report.schema)\(newer)")
    list.add("epoch", "\(report.epoch)")
    list.add("last commit", report.lastCommit.map { "\($0)" } ?? "none")
    list.add("devices", "\(report.devices)")
    list.add("registrations", "\(report.registrations), \(report.retiredTokens) retired tokens")
    list.add("fan-outs", "\(report.fanOuts)")
    list.add("developer mode", "\(report.developerModeGrants) grants")
    list.add("journal", "\(report.journalEntries) entries (\(report.journalBytes) bytes)")
    if report.damagedExplanations > 0 {
      list.add("explain", "\(report.damagedExplanations) rows cannot be read; nothing else depends on them")
    }
    return list.text(style: style)
  }
}
