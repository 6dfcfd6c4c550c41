/// Names and values under each other, for one thing that a table would make too wide.
package struct FieldList: Sendable {
  private var fields: [(name: String, value: String)] = []

  package init() {}

  /// Does nothing for nil, so that absent facts take no line. Control characters are escaped.
  package mutating func add(_ name: String, _ value: String?) {
    if let value { fields.append((name, value.printable)) }
  }

  /// Without a line break at the end.
  package func text(style: Style = .plain) -> String {
    let width = fields.map { $0.name.count }.max() ?? 0
    return fields.map { field in
      style.dim(field.name) + String(repeating: " ", count: width - field.name.count + 2) + field.value
    }.joined(separator: "\n")
  }
}
