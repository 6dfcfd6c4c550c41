/// Writes the source of a manual page with the macros of man(7), which man-db and mandoc both read.
package struct Roff: Sendable {
  private var lines: [String]

  /// - Parameters:
  ///   - title: the page's name, such as `gatewayd.toml`.
  ///   - source: the package and its version, for the page's foot.
  ///   - manual: what the page belongs to, for its head.
  package init(title: String, section: Int, source: String, manual: String) {
    // No date: the version tells the age, and a date would make two builds of one source differ.
    lines = [".TH \(Self.quoted(title.uppercased())) \(section) \"\" \(Self.quoted(source)) \(Self.quoted(manual))"]
  }

  package var text: String { lines.joined(separator: "\n") + "\n" }

  package mutating func section(_ title: String) { lines.append(".SH " + Self.quoted(title)) }

  package mutating func subsection(_ title: String) { lines.append(".SS " + Self.quoted(title)) }

  /// Text that follows a heading directly.
  package mutating func body(_ text: String) { append(Self.escaped(text)) }

  package mutating func paragraph(_ text: String) {
    lines.append(".PP")
    body(text)
  }

  /// A term and what it means, under it and indented.
  package mutating func item(_ term: [Span], _ meaning: String) {
    lines.append(".TP")
    append(term.map(\.source).joined())
    append(Self.escaped(meaning))
  }

  /// Another paragraph of the last item.
  package mutating func itemParagraph(_ text: String) {
    lines.append(".IP")
    append(Self.escaped(text))
  }

  /// A command line or its like, in a paragraph of its own.
  package mutating func synopsis(_ spans: [Span], first: Bool) {
    if !first { lines.append(".br") }
    append(spans.map(\.source).joined())
  }

  /// Lines that keep their breaks and spaces.
  package mutating func literal(_ text: [String]) {
    lines += [".PP", ".RS 4", ".nf"]
    for line in text { append(Self.escaped(line)) }
    lines += [".fi", ".RE"]
  }

  package enum Span: Sendable {
    case plain(String)
    case bold(String)
    case italic(String)

    fileprivate var source: String {
      switch self {
      case .plain(let text): Roff.escaped(text)
      case .bold(let text): "\\fB" + Roff.escaped(text) + "\\fR"
      case .italic(let text): "\\fI" + Roff.escaped(text) + "\\fR"
      }
    }
  }

  /// A dot or an apostrophe at the beginning of a line would be taken for a macro.
  private mutating func append(_ line: String) {
    lines.append(line.hasPrefix(".") || line.hasPrefix("'") ? "\\&" + line : line)
  }

  /// Dashes stay the ASCII ones, so that an option can be copied from the page; what is not ASCII is named by its
  /// number, since a page has no way to say its encoding.
  static func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": escaped += "\\e"
      case "-": escaped += "\\-"
      case "^": escaped += "\\(ha"
      case "~": escaped += "\\(ti"
      case "`": escaped += "\\(ga"
      case "'": escaped += "\\(aq"
      case "\n": escaped += " "
      default:
        if scalar.isASCII {
          escaped.unicodeScalars.append(scalar)
        } else {
          let number = String(scalar.value, radix: 16, uppercase: true)
          escaped += "\\[u" + String(repeating: "0", count: max(0, 4 - number.count)) + number + "]"
        }
      }
    }
    return escaped
  }

  /// As the argument of a macro.
  private static func quoted(_ text: String) -> String {
    "\"" + escaped(text).split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\\(dq") + "\""
  }
}
