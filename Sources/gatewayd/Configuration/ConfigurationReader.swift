import CommandLineInterface

/// Reads TOML against the table of keys: names, types and ranges. What keys mean together is not its business.
struct ConfigurationReader {
  private let file: String
  private(set) var sections: [SectionContent] = []
  private(set) var errors: [ConfigurationError] = []

  init(file: String) { self.file = file }

  /// Reads a whole file's root table.
  mutating func read(_ root: TOMLNode) {
    guard case .table(let entries) = root.value else { return }
    readTable(entries, line: 1, as: .top)
  }

  private mutating func readTable(_ entries: [TOMLEntry], line: Int, as section: ConfigurationSection) {
    var content = SectionContent(section: section, line: line)
    for entry in entries {
      let path = section == .top ? entry.name : "\(section.rawValue).\(entry.name)"
      if let inner = ConfigurationSection(rawValue: path), inner != .top {
        readSection(entry.node, as: inner)
      } else if let key = ConfigurationKey(rawValue: path) {
        if let value = read(entry.node, as: key) {
          content.entries[key] = .init(line: entry.node.line, value: value)
        } else {
          content.faulty.insert(key)
        }
      } else {
        refuseUnknown(entry, path: path, in: section)
      }
    }
    sections.append(content)
  }

  private mutating func readSection(_ node: TOMLNode, as section: ConfigurationSection) {
    switch (node.value, section.isRepeated) {
    case (.table(let entries), false):
      readTable(entries, line: node.line, as: section)
    case (.array(let elements), true):
      for element in elements {
        if case .table(let entries) = element.value {
          readTable(entries, line: element.line, as: section)
        } else {
          refuse(element.line, section.rawValue, "expected \(section.header), got \(Self.describe(element))")
        }
      }
    case (.table, true):
      refuse(node.line, section.rawValue, "expected \(section.header) with two brackets, for there may be several")
    case (.array, false):
      refuse(node.line, section.rawValue, "expected one \(section.header), with one bracket")
    default:
      refuse(node.line, section.rawValue, "expected a section \(section.header), got \(Self.describe(node))")
    }
  }

  private mutating func read(_ node: TOMLNode, as key: ConfigurationKey) -> ConfigurationValue? {
    let kind = key.facts.kind
    if let value = kind.read(node) { return value }
    refuse(node.line, key.rawValue, "expected \(kind.expectation), got \(Self.describe(node))")
    return nil
  }

  private mutating func refuseUnknown(_ entry: TOMLEntry, path: String, in section: ConfigurationSection) {
    let name = Self.printable(path)
    let inside = section == .top ? "" : section.rawValue + "."
    let nearby =
      section.keys.map(\.name)
      + ConfigurationSection.allCases.map(\.rawValue).filter { $0.count > inside.count && $0.hasPrefix(inside) }
      .map { String($0.dropFirst(inside.count)) }
    let suggestion =
      Suggestion.nearest(to: entry.name, among: nearby).map { inside + $0 } ?? Self.sameNameElsewhere(entry.name)
    let mend = suggestion.map { "; did you mean \($0)?" } ?? "; docs/configuration.md has them all"
    if case .table = entry.node.value {
      refuse(entry.node.line, name, "no such section" + mend)
    } else {
      refuse(entry.node.line, name, "no such key" + mend)
    }
  }

  /// A key under the wrong header is a common slip.
  private static func sameNameElsewhere(_ name: String) -> String? {
    let found = ConfigurationKey.allCases.filter { $0.name == name }
    return found.count == 1 ? found.first?.rawValue : nil
  }

  private mutating func refuse(_ line: Int, _ key: String, _ expected: String) {
    errors.append(ConfigurationError(file: file, line: line, key: key, expected: expected))
  }

  /// What stands there, in few words, and never a secret that was pasted where its file should be named.
  static func describe(_ node: TOMLNode) -> String {
    switch node.value {
    case .table: "a table"
    case .array(let elements): elements.isEmpty ? "an empty list" : "a list (" + describeElements(elements) + ")"
    case .text(let text): text.contains("-----BEGIN") ? "PEM text (not shown)" : "\"\(printable(text))\""
    case .integer(let number): "\(number)"
    case .float(let number): "\(number)"
    case .boolean(let flag): "\(flag)"
    case .date: "a date"
    }
  }

  private static func describeElements(_ elements: [TOMLNode]) -> String {
    let shown = elements.prefix(4).map { element in
      if case .array = element.value { "a list" } else { describe(element) }
    }
    return (shown + (elements.count > 4 ? ["…"] : [])).joined(separator: ", ")
  }

  /// At most `limit` characters, with nothing in it that could act on a terminal.
  static func printable(_ text: String, limit: Int = 60) -> String {
    var shown = ""
    for scalar in text.unicodeScalars.prefix(limit) {
      switch scalar.properties.generalCategory {
      case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator:
        shown += "\\u{\(String(scalar.value, radix: 16))}"
      default: shown.unicodeScalars.append(scalar)
      }
    }
    return text.unicodeScalars.count > limit ? shown + "…" : shown
  }
}
