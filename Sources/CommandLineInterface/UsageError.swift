/// The command line was wrong; the message names what and, where it can, the mend.
package struct UsageError: Error, Sendable, Equatable {
  package let message: String
  /// The command whose help page says more, such as `gatewayctl push`; the parser fills it in.
  package var help: String?

  package init(_ message: String, help: String? = nil) {
    self.message = message
    self.help = help
  }
}
