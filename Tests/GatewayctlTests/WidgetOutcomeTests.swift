import CommandLineInterface
import Foundation
import GatewayReports
import Testing

@testable import gatewayctl
@testable import gatewayd

/// Protects the answer to "why did my widget not refresh?": one row a widget and push, saying where it stands.
@Suite("Outcomes of pushes") struct WidgetOutcomeTests {
  private static func decision(
    _ second: Int64, _ outcome: DecisionReport.Outcome, _ why: String = "", widget: Int? = 0, until: Int64? = nil
  ) -> DecisionReport {
    DecisionReport(
      time: time(second), widget: widget, kind: "caffeine", outcome: outcome, why: why, until: until.map { time($0) })
  }

  private static func time(_ second: Int64) -> ReportTime {
    ReportTime(milliseconds: 1_796_007_662_123 + second * 1000)
  }

  private static func push(_ decisions: [DecisionReport], status: Int = 200) -> PushReport {
    PushReport(
      apnsID: "EC1BF194-B3B2-424B-9F1C-5F8A9C1C2C43", number: 7, token: "8f14e45f", environment: "development",
      received: time(0), status: status, checks: [], decisions: decisions)
  }

  @Test(
    "A widget's row says where the push stands, not that it was marked or received",
    arguments: [
      ([decision(0, .marked, "stale")], "marked", "stale"),
      ([decision(0, .marked), decision(0, .sent, "charged"), decision(1, .received)], "sent", "charged, received"),
      ([decision(0, .marked), decision(0, .sent, "charged")], "sent", "charged"),
      (
        [
          decision(0, .marked), decision(0, .deferred, "spent", until: 90), decision(90, .sent, "charged"),
          decision(91, .received),
        ], "sent", "charged, after 1 min 30 s (spent), received"
      ),
      (
        [decision(0, .sent, "charged"), decision(9, .resent, "no receipt"), decision(9, .received)], "resent",
        "no receipt, received"
      ),
      (
        [decision(0, .marked), decision(0, .deferred, "spent", until: 9), decision(3, .superseded, "by 8")],
        "superseded", "by 8"
      ),
      ([decision(0, .marked), decision(0, .dropped, "expiration 0")], "dropped", "expiration 0"),
    ]) func standing(decisions: [DecisionReport], outcome: String, why: String)
  {
    let rows = WidgetOutcome.all(of: Self.push(decisions))
    #expect(rows.map(\.outcome) == [outcome])
    #expect(rows.map(\.why) == [why])
    // An end of the waiting belongs to what waits, and to nothing that is over.
    #expect(rows.map(\.until) == [nil])
  }

  @Test("Each widget has a row of its own, with its family and until when it waits") func widgets() {
    let rows = WidgetOutcome.all(
      of: Self.push([
        Self.decision(0, .sent, "charged", widget: 1), Self.decision(0, .deferred, "spent", widget: 0, until: 20),
        Self.decision(5, .duplicate, "again", widget: nil),
      ]), name: "first",
      widgets: [
        0: WidgetReport(
          index: 0, kind: "caffeine", family: "systemSmall",
          budget: WidgetBudget(limit: 50, burst: 4, sustained: 46, remaining: 0, next: nil, mode: "enforce")),
        // Another widget has taken the place of the one that the decision was about.
        1: WidgetReport(
          index: 1, kind: "tea", family: "systemLarge",
          budget: WidgetBudget(limit: 50, burst: 4, sustained: 46, remaining: 0, next: nil, mode: "enforce")),
      ])
    #expect(rows.map(\.widget) == [nil, 0, 1])
    #expect(rows.map(\.outcome) == ["duplicate", "deferred", "sent"])
    #expect(rows.map(\.until) == [nil, Self.time(20), nil])
    #expect(rows.map(\.family) == [nil, "systemSmall", nil])
    #expect(rows.allSatisfy { $0.name == "first" && $0.number == 7 })
  }

  @Test("A push that was answered 429 is refused, whatever its widgets were told") func rejected() {
    var push = Self.push([Self.decision(0, .rejected, "every widget lacks budget")], status: 429)
    push.reason = "TooManyRequests"
    let rows = WidgetOutcome.all(of: push)
    #expect(rows.map(\.outcome) == ["refused"])
    #expect(rows.map(\.why) == ["TooManyRequests: every widget lacks budget"])
  }
}
