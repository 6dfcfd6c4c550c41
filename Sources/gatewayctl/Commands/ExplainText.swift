import CommandLineInterface
import GatewayReports

/// What `explain` says for people: first what became of a push, then how it came to that.
enum ExplainText {
  static func text(of report: ExplainReport, style: Style) -> String {
    guard !report.pushes.isEmpty else {
      return "Nothing is known of \(report.id.printable): it is too old, or it never arrived here."
    }
    return report.pushes.map { text(of: $0, style: style) }.joined(separator: "\n\n")
  }

  static func text(of push: PushReport, style: Style) -> String {
    var list = FieldList()
    list.add("apns-id", push.apnsID)
    list.add("apns-unique-id", push.apnsUniqueID)
    list.add("number", push.number.map { String($0) })
    list.add("token", push.token.isEmpty ? "none that can be read" : push.token)
    list.add("app", push.app.map { "\($0) (\(push.environment))" })
    if push.app == nil { list.add("topic", "\(push.topic ?? "none") (\(push.environment))") }
    list.add("received", push.received.description)
    list.add("answer", answer(of: push))
    if let failed = push.checks.first(where: { !$0.passed }) {
      let passed = push.checks.filter(\.passed).map(\.check)
      if !passed.isEmpty { list.add("passed", passed.joined(separator: ", ")) }
      list.add("failed", [failed.check, failed.detail].compactMap { $0 }.joined(separator: ": "))
    } else {
      list.add("passed", push.checks.isEmpty ? nil : "all \(ReportText.count(push.checks.count, "check"))")
      list.add("now", summary(of: push))
    }
    let text = list.text(style: style)
    return push.decisions.isEmpty ? text : text + "\n\n" + table(of: push.decisions).text(style: style)
  }

  /// `2 sent, 1 deferred until 2026-11-30T03:02:02Z`: where the widgets stand, not how they came there.
  static func summary(of push: PushReport) -> String? {
    var order: [String] = []
    var counts: [String: Int] = [:]
    for outcome in WidgetOutcome.all(of: push) {
      let word = outcome.outcome + (outcome.until.map { " until " + ReportText.time($0) } ?? "")
      if counts[word] == nil { order.append(word) }
      counts[word, default: 0] += 1
    }
    return order.isEmpty ? nil : order.map { "\(counts[$0, default: 0]) \($0)" }.joined(separator: ", ")
  }

  /// One widget after another, and each in the order of time.
  private static func table(of decisions: [DecisionReport]) -> Table {
    var table = Table([.number("#"), .init("WIDGET"), .init("TIME"), .init("OUTCOME"), .init("WHY")])
    var previous: Int??
    let widgets = Set(decisions.map(\.widget)).sorted { ($0 ?? -1) < ($1 ?? -1) }
    for decision in widgets.flatMap({ widget in decisions.filter { $0.widget == widget } }) {
      let name = [decision.kind, decision.family].compactMap { $0 }.joined(separator: " ")
      let repeats = previous == .some(decision.widget)
      table.add([
        repeats ? "" : decision.widget.map { String($0) } ?? "all", repeats ? "" : name, decision.time.description,
        decision.outcome.rawValue, why(decision),
      ])
      previous = .some(decision.widget)
    }
    return table
  }

  private static func why(_ decision: DecisionReport) -> String {
    var text = decision.why
    if let event = decision.event { text += ", event \(event)" }
    if let until = decision.until {
      let wait = (until.milliseconds - decision.time.milliseconds + 999) / 1000
      text += "; until \(ReportText.time(until)), \(ReportText.duration(seconds: Int(max(0, wait)))) later"
    }
    return text
  }

  private static func answer(of push: PushReport) -> String {
    [String(push.status), push.reason].compactMap { $0 }.joined(separator: " ")
  }

  // MARK: Many pushes

  static func text(of list: ExplainListReport, refused: Bool, style: Style) -> String {
    guard !list.pushes.isEmpty || !list.withoutCredential.isEmpty else {
      return refused ? "No push was refused lately." : "No push has come lately."
    }
    var parts: [String] = []
    if !list.pushes.isEmpty { parts.append(table(of: list.pushes).text(style: style)) }
    if !list.withoutCredential.isEmpty {
      parts.append(
        style.bold("Without a valid credential:") + "\n" + table(of: list.withoutCredential).text(style: style))
    }
    return parts.joined(separator: "\n\n")
  }

  /// With whole ids: they are what one explains next.
  private static func table(of pushes: [PushReport]) -> Table {
    var table = Table([
      .init("RECEIVED"), .init("APNS-ID"), .init("APP OR TOPIC"), .init("TOKEN"), .init("ANSWER"), .init("WHY"),
    ])
    for push in pushes {
      let failed = push.checks.first { !$0.passed }
      let why = failed.map { [$0.check, $0.detail].compactMap { $0 }.joined(separator: ": ") }
      table.add([
        ReportText.time(push.received), push.apnsID, push.app ?? push.topic ?? "", String(push.token.prefix(8)),
        answer(of: push), why ?? push.detail ?? summary(of: push) ?? "",
      ])
    }
    return table
  }
}
