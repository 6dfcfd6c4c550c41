import GatewayCore
import Testing

/// Protects the page that people read when a push is refused: it lists what the code answers, all of it and no more.
@Suite("Table of reasons") struct ReasonTableTests {
  private struct Row: Equatable {
    let status: Int
    let reason: String
    let cells: [String]
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

  @Test("Each row says when and what to do")
  func complete() throws {
    for row in try rows() {
      #expect(row.cells.count == 4, "\(row.reason)")
      #expect(row.cells.allSatisfy { !$0.isEmpty }, "\(row.reason)")
    }
  }
}
