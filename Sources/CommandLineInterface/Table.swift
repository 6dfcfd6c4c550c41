/// Rows with aligned columns, for people. Lines have no trailing spaces, and nothing depends on a terminal, so that
/// the same text reaches a pipe.
package struct Table: Sendable {
  package enum Alignment: Sendable { case left, right }

  package struct Column: Sendable {
    let title: String
    let alignment: Alignment

    package init(_ title: String, _ alignment: Alignment = .left) {
      self.title = title
      self.alignment = alignment
    }

    package static func number(_ title: String) -> Self { Self(title, .right) }
  }

  private let columns: [Column]
  private var rows: [[String]] = []

  package init(_ columns: [Column]) { self.columns = columns }

  package var isEmpty: Bool { rows.isEmpty }

  /// Missing cells are empty; control characters are escaped.
  package mutating func add(_ cells: [String]) {
    rows.append(columns.indices.map { $0 < cells.count ? cells[$0].printable : "" })
  }

  /// Header and rows, without a line break at the end.
  package func text(style: Style = .plain) -> String {
    let widths = columns.indices.map { index in
      max(columns[index].title.count, rows.map { $0[index].count }.max() ?? 0)
    }
    let header = line(columns.map(\.title), widths: widths)
    return ([style.bold(header)] + rows.map { line($0, widths: widths) }).joined(separator: "\n")
  }

  private func line(_ cells: [String], widths: [Int]) -> String {
    var line = ""
    for (index, cell) in cells.enumerated() {
      if index > 0 { line += "  " }
      let padding = String(repeating: " ", count: widths[index] - cell.count)
      line += columns[index].alignment == .right ? padding + cell : cell + padding
    }
    while line.last == " " { line.removeLast() }
    return line
  }
}
