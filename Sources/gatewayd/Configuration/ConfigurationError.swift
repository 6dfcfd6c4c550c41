/// One thing that is wrong in a configuration file: `gatewayd.toml:12: budget.burst: expected …, got …`.
package struct ConfigurationError: Error, Equatable, CustomStringConvertible {
  /// As it was named on the command line.
  package let file: String
  /// From 1; nil when it is about the file as a whole.
  package let line: Int?
  /// The key's whole path, or nil.
  package let key: String?
  /// What was expected, and what stands there instead. Never a secret.
  package let expected: String

  package init(file: String, line: Int?, key: String?, expected: String) {
    self.file = file
    self.line = line
    self.key = key
    self.expected = expected
  }

  package var description: String {
    let place = line.map { "\(file):\($0)" } ?? file
    return key.map { "\(place): \($0): \(expected)" } ?? "\(place): \(expected)"
  }
}
