import Foundation
import Testing

/// The files of `deploy/`, and programs that judge them.
enum DeployFolder {
  static func file(_ name: String) -> URL {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("deploy/" + name)
  }

  static let analyzer = "/usr/bin/systemd-analyze"
  static var hasAnalyzer: Bool { FileManager.default.isExecutableFile(atPath: analyzer) }

  /// What `systemd-analyze` says, on either stream.
  static func analyze(_ arguments: [String]) throws -> (text: String, code: Int32) {
    let process = Process()
    let pipe = Pipe()
    process.executableURL = URL(fileURLWithPath: analyzer)
    process.arguments = arguments
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let said = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (said, process.terminationStatus)
  }
}
