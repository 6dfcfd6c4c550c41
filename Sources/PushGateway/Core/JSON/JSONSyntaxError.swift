/// What is wrong with a JSON text, and where.
package struct JSONSyntaxError: Error, Equatable, Sendable, CustomStringConvertible {
  /// Bytes before the one that is wrong.
  package var offset: Int
  package var problem: String

  package init(offset: Int, problem: String) {
    self.offset = offset
    self.problem = problem
  }

  package var description: String { "\(problem), at byte \(offset)" }
}
