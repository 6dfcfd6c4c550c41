import CommandLineInterface
import Foundation
import GatewayCore
import Testing

@testable import gatewayctl
@testable import gatewayd

/// Protects the file of an export: secret, whole or not there, and read back whatever its length.
@Suite("The file of an export") struct RegistrationFileTests {
  private let directory = FileManager.default.temporaryDirectory.appending(
    path: "ctl-\(UUID().uuidString.prefix(8))", directoryHint: .isDirectory)

  private func withGateway(_ body: () throws -> Void) throws {
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    let server = try AdminServer(.init(socket: directory.path + "/s"), backend: SampleGateway())
    defer { server.stop() }
    try body()
  }

  private func run(_ arguments: [String]) -> (code: ExitCode, output: String, error: String) {
    let output = Output.captured()
    let code = Program.gatewayctl.run(["--socket", directory.path + "/s"] + arguments, output: output)
    return (code, output.printedText, output.errorText)
  }

  @Test("It is there when it is whole, for its owner alone; one that breaks off leaves the old one as it was")
  func wholeOrNot() throws {
    try withGateway {
      let file = directory.path + "/all.jsonl"
      let done = run(["registrations", "export", file])
      #expect(done.code == .success)
      #expect(done.error == "1 registrations are in \(file), which is a secret (mode 0600).\n")
      #expect(try String(contentsOfFile: file, encoding: .utf8) == "{\"format\":1}\n{}\n")
      let attributes = try FileManager.default.attributesOfItem(atPath: file)
      #expect(attributes[.posixPermissions] as? Int == 0o600)
      let broken = run(["registrations", "export", file, "--app", "breaks.off"])
      #expect(broken.code == .failure)
      #expect(broken.error.contains("broke off"))
      #expect(try String(contentsOfFile: file, encoding: .utf8) == "{\"format\":1}\n{}\n")
      #expect(!FileManager.default.fileExists(atPath: file + ".part"))
      let nowhere = run(["registrations", "export", directory.path + "/no/where"])
      #expect(nowhere.code == .failure && nowhere.error.contains("/no/where"))
    }
  }

  @Test("An import counts the lines of the file and not of its pieces")
  func pieces() throws {
    try withGateway {
      let file = directory.path + "/many.jsonl"
      try String(repeating: "{}\n", count: 2500).write(toFile: file, atomically: true, encoding: .utf8)
      let done = run(["registrations", "import", file])
      #expect(done.code == .failure)
      #expect(
        done.error == [1, 1001, 2001].map { "line \($0): malformed-json: it is not JSON\n" }.joined())
      #expect(done.output.hasPrefix("lines      2500\nadded      2497 registrations"))
    }
  }

  @Test(
    "Lines are read as they stand, whatever they end with and however they fall into reads",
    arguments: [
      ("", []), ("a", ["a"]), ("a\n", ["a"]), ("a\n\nb", ["a", "", "b"]), ("\n", [""]),
      ("12345678\na", ["12345678", "a"]), ("123456789\na\n", [nil, "a"]),
      (String(repeating: "x", count: 300_000) + "\nb\n" + String(repeating: "y", count: 300_000), [nil, "b", nil]),
    ] as [(String, [String?])])
  func lines(text: String, expected: [String?]) throws {
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    let file = directory.path + "/lines"
    try text.write(toFile: file, atomically: true, encoding: .utf8)
    let reader = try LineReader(file, longest: 8)
    var read: [String?] = []
    while let line = try reader.next() {
      switch line {
      case .whole(let bytes): read.append(String(decoding: bytes, as: UTF8.self))
      case .tooLong: read.append(nil)
      }
    }
    #expect(read == expected)
  }
}
