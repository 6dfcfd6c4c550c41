import CommandLineInterface
import Foundation
import GatewayCore
import Testing

@testable import gatewayctl
@testable import gatewayd

/// Protects the table of `explain` and what it takes, through the real admin server.
@Suite("explain with several pushes") struct ExplainTableTests {
  private func withGateway(
    _ body: (_ run: ([String]) -> (code: ExitCode, output: String, error: String), String) throws -> Void
  ) throws {
    let directory = FileManager.default.temporaryDirectory.path() + "/ctl-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let server = try AdminServer(.init(socket: directory + "/s"), backend: SampleGateway())
    defer { server.stop() }
    try body(
      { arguments in
        let output = Output.captured()
        let code = Program.gatewayctl.run(["--socket", directory + "/s"] + arguments, output: output)
        return (code, output.printedText, output.errorText)
      }, directory)
  }

  @Test("The table has a line a widget, oldest push first, and says once what lines share") func table() throws {
    try withGateway { run, _ in
      #expect(
        run(["explain", "8f14e45f", "--table"]).output == """
          APNS-ID  NO.  TOKEN     WIDGET                OUTCOME   UNTIL                 WHY
          A             8f14e45f                        refused                         PayloadEmpty: 'content-available' in place of 'content-changed'
          B          7  8f14e45f  caffeine systemSmall  sent                            exempt: foreground
                                  tea #1                deferred  2026-11-30T03:02:02Z  budget spent

          """)
      let newest = run(["explain", "8f14e45f", "--last", "1"])
      #expect(newest.output.contains("B          7"))
      #expect(!newest.output.contains("PayloadEmpty"))
      #expect(run(["explain", "8f14e45f", "8f14e45f"]).output.split(separator: "\n").count == 7)
    }
  }

  @Test("--pushes explains what push --json printed, refused and forgotten pushes too") func pushes() throws {
    try withGateway { run, directory in
      let file = directory + "/pushes"
      try Data(
        """
        [{"apns-id":"B","name":"first","status":200,"token":"8f14e45f"}]
        [{"apns-id":"C","detail":"make it hex","name":"second","reason":"BadDeviceToken","status":400,"token":"xy"},\
        {"apns-id":"none","status":200,"token":"8f14e45f"}]

        """.utf8
      ).write(to: URL(filePath: file))
      let table = run(["explain", "--pushes", file])
      #expect(table.code == .success, "\(table.error)")
      let lines = table.output.split(separator: "\n")
      #expect(lines.count == 5)
      #expect(lines[1].hasPrefix("first   B          7  8f14e45f  caffeine systemSmall  sent"))
      #expect(lines[3].hasPrefix("second  C             xy"))
      #expect(lines[3].hasSuffix("BadDeviceToken: make it hex"))
      #expect(lines[4].hasSuffix("the gateway remembers nothing of it"))
      let json = run(["explain", "--pushes", file, "--json"])
      let rows = try #require(try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [[String: Any]])
      #expect(rows.compactMap { $0["outcome"] as? String } == ["sent", "deferred", "refused", "forgotten"])
      #expect(rows.compactMap { $0["name"] as? String } == ["first", "first", "second"])
    }
  }

  @Test("What cannot be explained is named") func wrong() throws {
    try withGateway { run, directory in
      #expect(run(["explain"]).code == .usage)
      #expect(run(["explain"]).error.hasPrefix("gatewayctl: ID is missing"))
      let file = directory + "/pushes"
      try Data("[]\nnonsense\n".utf8).write(to: URL(filePath: file))
      let result = run(["explain", "--pushes", file])
      #expect(result.code == .failure)
      #expect(result.error == "gatewayctl: \(file):2: expected a line that gatewayctl push --json has printed\n")
      try Data("[]\n".utf8).write(to: URL(filePath: file))
      let empty = run(["explain", "--pushes", file])
      #expect(empty.code == .failure)
      #expect(empty.output == "No pushes.\n")
    }
  }
}
