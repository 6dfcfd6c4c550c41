/// A command could not do what was asked; the message names the thing and the mend.
package struct CommandFailure: Error, Sendable, Equatable, CustomStringConvertible {
  package let message: String
  package init(_ message: String) { self.message = message }
  package var description: String { message }
}
