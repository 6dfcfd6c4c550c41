package import GatewayCore

/// A configuration file that was read without an error.
package struct LoadedConfiguration: Sendable {
  /// As it was named.
  package let file: String
  package let gateway: GatewayConfiguration
  /// The same file's places and paths.
  package let outline: ConfigurationOutline
  /// In the order of the file's lines.
  package let warnings: [ConfigurationWarning]
  /// Where keys stand, for those who find a fault later (a key that does not parse, a port in use).
  let places: [ConfigurationPlace]

  /// The line of a key, or of its section; nil if neither stands in the file.
  /// - Parameter occurrence: which one of a repeated section, from 0.
  package func line(of key: ConfigurationKey, occurrence: Int = 0) -> Int? {
    let sections = places.filter { $0.section == key.facts.section }
    guard sections.indices.contains(occurrence) else { return nil }
    return sections[occurrence].lines[key] ?? sections[occurrence].line
  }

  /// An error about a key, at its line.
  package func error(_ key: ConfigurationKey, occurrence: Int = 0, _ expected: String) -> ConfigurationError {
    ConfigurationError(
      file: file, line: line(of: key, occurrence: occurrence), key: key.rawValue, expected: expected)
  }
}

/// Where one occurrence of a section and its keys stand.
struct ConfigurationPlace: Sendable {
  let section: ConfigurationSection
  let line: Int
  let lines: [ConfigurationKey: Int]
}
