import BudgetThrottle
import Foundation
import Testing

/// Protects docs/budgets.md from telling app developers what budgets do not do.
@Suite("Worked examples of docs/budgets.md") struct WorkedExampleTests {
  struct Row: Equatable {
    var time: LedgerTime
    var what: String
    var outcome: String
    var left: Int
  }

  private static func document() throws -> String {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    return try String(contentsOf: root.appending(path: "docs/budgets.md"), encoding: .utf8)
  }

  /// Policy and table of one section.
  private static func example(_ title: String) throws -> (policy: BudgetPolicy, rows: [Row]) {
    let text = try document()
    let start = try #require(text.range(of: "\n## \(title)\n"))
    let section = text[start.upperBound...].components(separatedBy: "\n## ")[0]
    func setting(_ key: String) -> String? {
      section.split(separator: "\n").first { $0.hasPrefix("\(key) = ") }.map { $0.filter(\.isNumber) }
    }
    var policy = BudgetPolicy(
      refreshesPerDay: try #require(setting("refreshes-per-day").flatMap { Int($0) }),
      burst: setting("burst").flatMap { Int($0) })
    policy.minimumInterval = (setting("minimum-interval").flatMap { Int64($0) } ?? 0) * 60_000
    let rows = try section.split(separator: "\n").filter { $0.hasPrefix("| ") }.dropFirst().map { line in
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      return Row(
        time: try time(cells[0]), what: cells[1], outcome: cells[2], left: try #require(Int(cells[3])))
    }
    return (policy, rows)
  }

  private static func time(_ text: String) throws -> LedgerTime {
    let parts = try text.split(separator: ":").map { try #require(Int64($0)) }
    return LedgerTime(milliseconds: ((parts[0] * 60 + parts[1]) * 60 + parts[2]) * 1000)
  }

  /// To the second, rounded up as waits are.
  private static func text(_ time: LedgerTime) -> String {
    let seconds = (time.milliseconds + 999) / 1000
    return String(format: "%02d:%02d:%02d", Int(seconds / 3600), Int(seconds / 60 % 60), Int(seconds % 60))
  }

  @Test("Each row is what a budget does", arguments: ["A day with 50", "Not too close together"])
  func rows(title: String) throws {
    let (policy, rows) = try Self.example(title)
    #expect(rows.count > 6)
    var cell = BudgetCell.full(under: policy, at: try #require(rows.first).time)
    var waitsUntil: LedgerTime?
    for row in rows {
      var now = row.time
      if row.what == "budget returns" {
        now = try #require(waitsUntil, "\(Self.text(row.time)): nothing waits")
        #expect(Self.text(now) == Self.text(row.time))
      } else {
        #expect(waitsUntil.map { $0 > now } ?? true, "\(Self.text(now)): a row of a returning budget is missing")
      }
      let admission = cell.admission(at: now, under: policy).at
      let outcome: String
      if admission <= now {
        cell.charge(at: now, under: policy)
        waitsUntil = nil
        outcome = "handed over"
      } else {
        waitsUntil = admission
        outcome = "waits until \(Self.text(admission))"
      }
      #expect(outcome == row.outcome, "\(Self.text(row.time))")
      #expect(cell.remaining(at: now, under: policy) == row.left, "\(Self.text(row.time))")
    }
  }
}
