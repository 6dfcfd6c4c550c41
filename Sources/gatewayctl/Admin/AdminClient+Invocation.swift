import CommandLineInterface
import TokenStore

extension Invocation {
  /// The argument that names a registration.
  func deviceToken(at place: Int) throws(UsageError) -> String {
    guard DeviceToken(hex: arguments[place]) != nil else {
      throw UsageError("TOKEN takes a device token, 2 to 200 hex digits, not \(shortened(place))", help: command)
    }
    return arguments[place]
  }

  private func shortened(_ place: Int) -> String {
    let text = arguments[place]
    return text.count > 64 ? text.prefix(64).description.quoted + "…" : text.quoted
  }

  /// The argument that names a push, or a token for the pushes to it.
  func explained(at place: Int) throws(UsageError) -> String {
    guard CanonicalUUID(arguments[place]) != nil || DeviceToken(hex: arguments[place]) != nil else {
      throw UsageError(
        "ID takes an apns-id or apns-unique-id (8-4-4-4-12 hex digits) or a device token (hex digits), not "
          + shortened(place), help: command)
    }
    return arguments[place]
  }

  /// Prints the API's own JSON when asked to, and otherwise what `text` makes of the report.
  func show<Report>(_ answer: AdminClient.Answer<Report>, as text: (Report) -> String) {
    output.print(wantsJSON ? answer.json : text(answer.report))
  }
}
