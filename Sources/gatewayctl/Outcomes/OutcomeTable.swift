import CommandLineInterface
import GatewayReports
import Glibc

/// Outcomes of several pushes under each other. What a row shares with the one above is not said again.
enum OutcomeTable {
  static func text(of outcomes: [WidgetOutcome], style: Style) -> String {
    let isNamed = outcomes.contains { $0.name != nil }
    var table = Table(
      (isNamed ? [.init("PUSH")] : []) + [
        .init("APNS-ID"), .number("NO."), .init("TOKEN"), .init("WIDGET"), .init("OUTCOME"), .init("UNTIL"),
        .init("WHY"),
      ])
    var previous: WidgetOutcome?
    for one in outcomes {
      let repeats = previous.map { ($0.apnsID, $0.token, $0.name) == (one.apnsID, one.token, one.name) } ?? false
      let push = [one.apnsID.map(start) ?? "", one.number.map { String($0) } ?? "", start(of: one.token)]
      let cells = (isNamed ? [one.name ?? ""] : []) + push
      table.add(
        (repeats ? cells.map { _ in "" } : cells) + [
          widget(of: one), one.outcome, one.until.map(clock) ?? "", one.why,
        ])
      previous = one
    }
    return table.text(style: style)
  }

  /// As much of an id as tells it from the others of a day.
  private static func start(of id: String) -> String { String(id.prefix(8)) }

  private static func widget(of one: WidgetOutcome) -> String {
    guard let index = one.widget else { return "" }
    return [one.kind ?? "", one.family ?? "#\(index)"].filter { !$0.isEmpty }.joined(separator: " ")
  }

  /// The time of day where the day is plain.
  private static func clock(_ time: ReportTime) -> String {
    let text = ReportText.time(time)
    let now = ReportTime(milliseconds: Int64(Glibc.time(nil)) * 1000)
    return (0..<86_400_000).contains(time.milliseconds - now.milliseconds) ? String(text.dropFirst(11)) : text
  }
}
