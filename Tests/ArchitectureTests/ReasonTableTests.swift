import Foundation
import GatewayCore
import Testing

/// Protects the page that people read when a push is refused: it lists what the code answers, all of it and no more.
@Suite("Table of reasons") struct ReasonTableTests {
  private struct Row: Equatable {
    let status: Int
    let reason: String
    let cells: [String]
    var isNever: Bool { cells.count > 2 && cells[2].hasPrefix("never") }
  }

  private func rows() throws -> [Row] {
    let page = try Repository.text(of: "docs/http-api.md")
    let section = page.split(separator: "#### Reasons").last.map(String.init) ?? ""
    return section.split(separator: "\n").prefix { !$0.hasPrefix("##") }.compactMap { line in
      let cells = line.split(separator: "|").map { $0.trimmingPrefix { $0 == " " } }.map { cell in
        String(cell.reversed().drop { $0 == " " }.reversed())
      }
      guard cells.count >= 2, let status = Int(cells[0]) else { return nil }
      return Row(status: status, reason: cells[1].filter { $0 != "`" }, cells: cells)
    }
  }

  @Test("Page and code have the same reasons with the same statuses, in the same order")
  func inStep() throws {
    let page = try rows().map { "\($0.status) \($0.reason)" }
    #expect(page == RejectionReason.allCases.map { "\($0.status) \($0.rawValue)" })
  }

  @Test("Each row says when, what to do and gives an example; what to do begins with one of four things")
  func complete() throws {
    let remedies = ["**Fix the request", "**Fix the configuration", "**Delete the token", "**Retry"]
    for row in try rows() {
      #expect(row.cells.count == 5, "\(row.reason)")
      #expect(row.cells.allSatisfy { !$0.isEmpty }, "\(row.reason)")
      guard row.cells.count == 5, !row.isNever else { continue }
      #expect(remedies.contains { row.cells[3].hasPrefix($0) }, "\(row.reason): \(row.cells[3])")
      #expect(row.cells[4] != "–", "\(row.reason)")
    }
  }

  @Test("A reason is never answered, says the page, exactly when no code answers it")
  func reachable() throws {
    let folders = ["Core/Request", "Core/FanOut", "Core/Admission", "Core/Delivery", "Connection"]
    let files = try folders.flatMap { try Repository.files(under: "Sources/PushGateway/" + $0, suffix: ".swift") }
    // Where refusals of pushes are made, and not the table itself.
    let answering = files.filter {
      ($0.contains("/Request/") || $0.contains("/FanOut/") || $0.contains("/Admission/") || $0.contains("Refusal")
        || $0.contains("/Provider"))
        && !$0.hasSuffix("/RejectionReason.swift") && !$0.hasSuffix("/Refusal.swift")
    }
    let code = try answering.map { try Repository.text(of: $0) }.joined(separator: "\n")
    for (row, reason) in zip(try rows(), RejectionReason.allCases) {
      let isAnswered = code.range(of: #"\.\#(reason)\b"#, options: .regularExpression) != nil
      #expect(isAnswered == !row.isNever, "\(reason)")
    }
  }
}
