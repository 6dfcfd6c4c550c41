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
    // The first line says what the file is.
    var lines = -1
    if let path = invocation.arguments.first, path != "-" {
      let file = try SecretFile(path)
      try download(admin, query, counting: &lines) { try file.write($0) }
      try file.finish()
      invocation.output.error("\(max(0, lines)) registrations are in \(path), which is a secret (mode 0600).")
    } else {
      try download(admin, query, counting: &lines) { try writeOut($0) }
    }
    return .success
  }

  private static func download(
    _ admin: AdminClient, _ query: [(String, String?)], counting lines: inout Int,
    to write: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    var count = lines
    var failure: (any Error)?
    do {
      try admin.download(["registrations", "export"], query: query) { bytes in
        count += bytes.count { $0 == UInt8(ascii: "\n") }
        do { try write(bytes) } catch {
          failure = error
          return false
        }
        return true
      }
    } catch {
      throw failure ?? error
    }
    lines = count
  }

  private static func writeOut(_ bytes: UnsafeRawBufferPointer) throws {
    var rest = bytes
    while !rest.isEmpty {
      let count = Glibc.write(STDOUT_FILENO, rest.baseAddress, rest.count)
      guard count > 0 else { throw CommandFailure("cannot write: \(String(cString: strerror(errno)))") }
      rest = UnsafeRawBufferPointer(rebasing: rest[count...])
    }
  }
}
