import Foundation

/// A program of the system that reads what we generate; tests that need one are left out where it is not.
enum Tool: String {
  case bash, zsh, fish, mandoc, groff

  private var path: String? {
    ["/usr/bin/", "/bin/"].map { $0 + rawValue }.first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  var isThere: Bool { path != nil }

  struct IsMissing: Error {}

  /// What it says, on either stream, to `input`.
  func run(_ arguments: [String], input: String) throws -> String {
    guard let path else { throw IsMissing() }
    let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try Data(input.utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    process.standardInput = try FileHandle(forReadingFrom: file)
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let said = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return said
  }
}
