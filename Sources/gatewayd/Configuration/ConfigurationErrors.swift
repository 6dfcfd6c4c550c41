/// Everything that is wrong in a configuration file, in the order of its lines. Never empty.
package struct ConfigurationErrors: Error, Equatable, CustomStringConvertible {
  package let errors: [ConfigurationError]

  init(_ errors: [ConfigurationError]) {
    self.errors = errors.enumerated().sorted { left, right in
      (left.element.line ?? .max, left.offset) < (right.element.line ?? .max, right.offset)
    }.map(\.element)
  }

  /// One line for each.
  package var description: String { errors.map(\.description).joined(separator: "\n") }
}
