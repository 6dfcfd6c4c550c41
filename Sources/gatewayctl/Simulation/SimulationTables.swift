import CommandLineInterface

/// The final report for people.
enum SimulationTables {
  /// Without the line that counts everything; empty for one device that has seen nothing worth a table.
  static func text(_ summary: SimulationSummary, style: Style) -> String {
    var parts: [String] = []
    if summary.devices > 1 || summary.latency != nil { parts.append(profiles(summary).text(style: style)) }
    if summary.devices > 1 || summary.gaps != nil { parts.append(widgets(summary).text(style: style)) }
    let behind = summary.behind
    if behind != SimulationTotals.Behind() {
      let reasons = [
        (behind.missed, "missed without a reason"), (behind.budget, "wait for their budget"),
        (behind.away, "on devices that are away"), (behind.unread, "on devices that read slowly"),
      ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
      parts.append("Widgets that the last push for all did not reach: " + reasons.joined(separator: ", "))
    }
    if summary.unexplainedDuplicates > 0 {
      parts.append(
        "\(ReportText.count(summary.unexplainedDuplicates, "duplicate")) came again after the receipt's answer")
    }
    return parts.joined(separator: "\n\n")
  }

  private static func profiles(_ summary: SimulationSummary) -> Table {
    var table = Table([
      Table.Column("PROFILE"), .number("DEVICES"), .number("REFRESHES"), .number("DUPLICATES"),
      .number("LOST RECEIPTS"), .number("RECONNECTS"), .number("MISSED"), .number("LATENCY p50"), .number("p99"),
      .number("max"),
    ])
    for row in summary.profiles {
      table.add([
        row.profile, "\(row.ready)/\(row.devices)", "\(row.refreshes)", "\(row.duplicates)", "\(row.lostReceipts)",
        "\(row.reconnects)", "\(row.behind.missed)", milliseconds(row.latency?.p50), milliseconds(row.latency?.p99),
        milliseconds(row.latency?.max),
      ])
    }
    return table
  }

  private static func widgets(_ summary: SimulationSummary) -> Table {
    var table = Table([
      Table.Column("PLATFORM"), Table.Column("KIND"), Table.Column("FAMILY"), .number("WIDGETS"), .number("REFRESHES"),
      .number("NEVER"), .number("GAP p50"), .number("p99"), .number("max"),
    ])
    for row in summary.widgets {
      table.add([
        row.platform, row.kind, row.family, "\(row.widgets)", "\(row.refreshes)", "\(row.neverRefreshed)",
        seconds(row.gaps?.p50), seconds(row.gaps?.p99), seconds(row.gaps?.max),
      ])
    }
    return table
  }

  private static func milliseconds(_ value: Double?) -> String { value.map { "\(Int($0.rounded(.up))) ms" } ?? "" }

  private static func seconds(_ value: Double?) -> String {
    guard let value else { return "" }
    return value < 10 ? "\((value * 10).rounded() / 10) s" : ReportText.duration(seconds: Int(value.rounded()))
  }
}
