/// The table of keys as people read it. A test compares the files of the source tree with these texts.
package enum ConfigurationReference {
  /// The whole of `config/gatewayd.toml`.
  package static var sample: String {
    var lines = [
      "# gatewayd's configuration: every key, commented out, at its default or with an example.",
      "#",
      "# \"reload\": systemctl reload gatewayd (SIGHUP) brings a change in. \"restart\": only a restart does.",
      "# Durations are a whole number and a unit: \"500ms\", \"25s\", \"10m\", \"8h\", \"30d\".",
      "# A relative path starts at the folder of this file. Keys and certificates may also be credentials",
      "# (systemd's LoadCredential=): then give their bare name.",
      "# Try a change before it counts: gatewayd check --config FILE",
    ]
    for section in ConfigurationSection.allCases {
      lines.append("")
      if section != .top {
        lines += wrapped(section.summary)
        lines.append("#" + section.header)
      }
      for key in section.keys {
        if key != section.keys.first { lines.append("") }
        lines += wrapped(key.facts.summary)
        lines += wrapped(key.remark)
        lines.append("#\(key.name) = \(key.example)")
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// The tables of `docs/configuration.md`.
  package static var tables: String {
    var lines: [String] = []
    for section in ConfigurationSection.allCases {
      lines +=
        section == .top ? ["### Before the first section", ""] : ["### `\(section.header)`", "", section.summary, ""]
      lines += ["| key | value | default | change | meaning |", "|---|---|---|---|---|"]
      for key in section.keys {
        let facts = key.facts
        let unit = facts.unit.map { ", \($0)" } ?? ""
        let cells = [
          "`\(key.name)`", facts.kind.expectation + unit, key.standardText, facts.effect.rawValue, facts.summary,
        ]
        lines.append(
          "| " + cells.map { $0.split(separator: "|").joined(separator: "\\|") }.joined(separator: " | ") + " |")
      }
      lines.append("")
    }
    return lines.joined(separator: "\n")
  }

  private static func wrapped(_ text: String, width: Int = 100) -> [String] {
    var lines: [String] = []
    var line = "#"
    for word in text.split(separator: " ") {
      if line.count + 1 + word.count > width {
        lines.append(line)
        line = "#"
      }
      line += " " + word
    }
    return lines + [line]
  }
}

extension ConfigurationKey {
  /// A value that the file may hold: the default where there is one.
  fileprivate var example: String {
    switch facts.standard {
    case .value(let text): text
    case .required(let example): example
    case .absent(_, let example): example
    }
  }

  /// Type, unit, default and effect, in one line of the sample.
  var remark: String {
    let unit = facts.unit.map { ", \($0)" } ?? ""
    let standard =
      switch facts.standard {
      case .value: "This is the default."
      case .required: "Required."
      case .absent(let meaning, _): "No default: \(meaning.prefix(1).lowercased())\(meaning.dropFirst())"
      }
    let expectation = "Takes \(facts.kind.expectation)"
    return "\(expectation)\(unit); \(facts.effect.rawValue). \(standard)"
  }

  fileprivate var standardText: String {
    switch facts.standard {
    case .value(let text): "`\(text)`"
    case .required: "required"
    case .absent(let meaning, _): meaning
    }
  }
}
