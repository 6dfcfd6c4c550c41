import Foundation
import Testing

/// One second-level section of a document of this repository, for tests that keep it and the code in step.
struct DocumentSection {
  let lines: [String]

  /// - Parameters:
  ///   - path: relative to the repository's root.
  ///   - title: what stands after `## `.
  init(ofFile path: String, titled title: String, from file: String = #filePath) throws {
    // Tests/<target>/<this file> lies three below the root.
    let root = URL(fileURLWithPath: file).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let text = try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    let all = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let start = try #require(all.firstIndex(of: "## " + title), "\(path) has no section \(title)")
    let end = all[(start + 1)...].firstIndex { $0.hasPrefix("## ") } ?? all.endIndex
    lines = Array(all[(start + 1)..<end])
  }

  /// Cells of the rows of the table whose first line begins with `header`; none when there is no such table.
  func tables(headed header: String) -> [[String]] {
    guard let start = lines.firstIndex(where: { $0.hasPrefix(header) }) else { return [] }
    return lines[(start + 2)...].prefix { $0.hasPrefix("|") }.map { line in
      line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
    }
  }

  /// What stands in the first fenced block with this info string under the first third-level heading that contains
  /// `heading`, each line with its end.
  func block(_ info: String, under heading: String) throws -> String {
    let start = try #require(
      lines.firstIndex { $0.hasPrefix("### ") && $0.contains(heading) }, "no heading \(heading)")
    let part = lines[(start + 1)...].prefix { !$0.hasPrefix("### ") }
    let fence = try #require(part.firstIndex(of: "```" + info), "no block \(info) under \(heading)")
    return part[(fence + 1)...].prefix { $0 != "```" }.map { $0 + "\n" }.joined()
  }
}
