/// How a program of ours ends (design §5, Programs).
package enum ExitCode: Int32, Sendable, CaseIterable {
  case success = 0
  /// Understood, but refused or failed.
  case failure = 1
  /// The command line itself was wrong.
  case usage = 2

  var meaning: String {
    switch self {
    case .success: "Done."
    case .failure: "Refused or failed; one line on standard error names the thing and the mend."
    case .usage: "The command line itself was wrong."
    }
  }
}
