import CommandLineInterface
import Glibc

/// `gatewayctl registrations export [FILE]`
enum RegistrationExportCommand {
  private static let app = CommandOption.value("app", "BUNDLE-ID", help: "only the registrations of this app")

  static let command = Command(
    "export", summary: "Writes all registrations as JSON lines.",
    discussion: """
      The file holds device tokens and hashes of device keys, and is made for its owner alone. It is there when it is
      whole. Budgets and what waits are not in it: a backup of the store has them.
      """,
    positionals: [Positional("FILE", help: "what to write; standard output without it", count: .optional)],
    options: [app],
    examples: [.init("gatewayctl registrations export all.jsonl", "for another gateway")]
  ) { invocation in
    let admin = try invocation.admin()
    let query = [("app", invocation.value(app))]
    if let path = invocation.arguments.first, path != "-" {
      var registrations = 0
      try OutputFile.make(path, what: "the export", replacing: true) { descriptor in
        registrations = try download(admin, query, to: descriptor, named: path)
      }
      invocation.output.error("\(registrations) registrations are in \(path), which is a secret (mode 0600).")
    } else {
      _ = try download(admin, query, to: STDOUT_FILENO, named: "the export")
    }
    return .success
  }

  /// - Returns: how many registrations there were.
  private static func download(
    _ admin: AdminClient, _ query: [(String, String?)], to descriptor: Int32, named name: String
  ) throws -> Int {
    var lines = 0
    try admin.download(["registrations", "export"], query: query, to: descriptor, named: name) { bytes in
      lines += bytes.count { $0 == UInt8(ascii: "\n") }
    }
    // The first line says what the file is.
    return max(0, lines - 1)
  }
}
