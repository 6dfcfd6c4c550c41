import CommandLineInterface
import GatewayCore
import Glibc
import Testing

@testable import gatewayctl
@testable import gatewayd

/// Protects what people read and scripts rely on, through the real admin server on a real socket.
@Suite("Admin commands") struct AdminCommandTests {
  private struct Result {
    var code: ExitCode
    var output: String
    var error: String
  }

  /// Runs command lines against a gateway, `--socket` added.
  private func withGateway(_ body: (_ run: ([String]) -> Result, SampleGateway, String) throws -> Void) throws {
    var template = Array("/tmp/gatewayctl-test-XXXXXX".utf8CString)
    _ = mkdtemp(&template)
    let directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    defer { rmdir(directory) }
    let gateway = SampleGateway()
    let server = try AdminServer(.init(socket: directory + "/s"), backend: gateway)
    defer { server.stop() }
    let run = { (arguments: [String]) in Self.run(["--socket", directory + "/s"] + arguments) }
    try body(run, gateway, directory)
  }

  private static func run(_ arguments: [String]) -> Result {
    let output = Output.captured()
    let code = Program.gatewayctl.run(arguments, output: output)
    return Result(code: code, output: output.printedText, error: output.errorText)
  }

  @Test("status shows the gateway and exits with 1 while it is not ready") func status() throws {
    try withGateway { run, gateway, _ in
      let result = run(["status"])
      #expect(
        result.output == """
          gatewayd        1.0.0, ready
          started         2026-11-30T03:01:02Z, 1 d 2 h ago
          listens         [::]:2197 (provider, development)
          connections     2 provider, 31 device
          devices         40, 31 connected
          registrations   44 with 90 widgets
          widgets         3 waiting, 1 in flight
          pushes          1200 accepted, 7 refused
          store           epoch 4, journal 900 entries (81000 bytes), 0 pending
          developer mode  1 active

          """)
      #expect(result.code == .success)
      gateway.drain()
      let draining = run(["status"])
      #expect(draining.output.hasPrefix("gatewayd        1.0.0, not ready: draining\n"))
      #expect(draining.code == .failure)
      let json = run(["status", "--json"])
      #expect(json.output.hasPrefix("{\"connectedDevices\":31,") && json.output.hasSuffix("}\n"))
    }
  }

  @Test("registrations lists a page and shows one registration") func registrations() throws {
    try withGateway { run, gateway, _ in
      let list = run(["registrations", "--app", "com.example.caffeine", "--limit", "1", "--after", "00"])
      #expect(
        list.output == """
          TOKEN     APP                   ENVIRONMENT  PLATFORM  CONNECTED  WIDGETS  WAITING  IN FLIGHT  DEVICE
          8f14e45f  com.example.caffeine  development  iOS       yes              2        1          0  0b5c

          """)
      #expect(list.error == "There are more: --after 8f14e45f\n")
      #expect(gateway.calls == ["registrations 1 00 com.example.caffeine"])
      let one = run(["registrations", "8f14e45f"])
      #expect(one.output.contains("device       0b5c (iOS, connected)\n"))
      #expect(one.output.contains("0 of 4, 50 a day  2026-11-30T03:32:20Z  waits since 2026-11-30T03:01:02Z (EC1BF194"))
      #expect(one.output.contains("deferred until 2026-11-30T03:32:20Z: budget spent"))
      #expect(!one.output.contains("\u{1B}"))
    }
  }

  @Test("budget shows, and resets only when told to") func budget() throws {
    try withGateway { run, gateway, _ in
      let peek = run(["budget", "show", "8f14e45f"])
      #expect(
        peek.output == """
          #  KIND      FAMILY       CONFIGURATION  LEFT               NEXT REFRESH  A DAY  IN THE LONG RUN             MODE
          0  caffeine  systemSmall                 [....]     0 of 4  now              50  46 a day, each 31 min 18 s  enforce
          Developer mode is on: budgets are lifted.

          """)
      #expect(gateway.calls.isEmpty)
      #expect(run(["budget", "reset", "8f14e45f", "--who", "ada", "--why", "a demonstration"]).code == .success)
      #expect(gateway.calls == ["reset by ada: a demonstration"])
      let silent = run(["budget", "reset", "8f14e45f"])
      #expect(silent.code == .usage)
      #expect(silent.error.contains("--why"))
      #expect(gateway.calls.count == 1)
    }
  }

  @Test("developer-mode grants with who and why, and ends") func developerMode() throws {
    try withGateway { run, gateway, _ in
      let grant = ["developer-mode", "on", "--app", "com.example.caffeine", "--for", "2h"]
      #expect(
        run(grant + ["--why", "layout work", "--who", "ada"]).output.contains("2026-11-30T05:01:02Z  operator  ada"))
      let silent = run(grant)
      #expect(silent.code == .usage)
      #expect(silent.error.hasPrefix("gatewayctl: --why TEXT is required"))
      #expect(run(grant + ["--why", "layout"]).code == .success)
      #expect(run(["developer-mode", "off", "--device", "0b5c", "--who", "ada"]).code == .success)
      #expect(run(["developer-mode", "on", "--why", "x"]).code == .usage)
      #expect(run(["developer-mode", "list"]).output == "Developer mode is on nowhere.\n")
      #expect(run(["developer-mode", "audit"]).output.contains("granted  com.example.caffeine"))
      #expect(
        gateway.calls == [
          "grant com.example.caffeine 7200 ada layout work",
          "grant com.example.caffeine 7200 \(UnixUser.name) layout", "end - 0b5c ada",
        ])
    }
  }

  @Test("explain tells what became of each push") func explain() throws {
    try withGateway { run, _, _ in
      #expect(
        run(["explain", "8f14e45f"]).output == """
          apns-id   B
          number    7
          token     8f14e45f
          app       com.example.caffeine (development)
          received  2026-11-30T03:01:03.123Z
          answer    200
          passed    all 1 check
          now       1 sent, 1 deferred until 2026-11-30T03:02:02Z

          #  WIDGET                TIME                      OUTCOME   WHY
          0  caffeine systemSmall  2026-11-30T03:01:03.123Z  sent      exempt: foreground, event 4-311
          1  tea                   2026-11-30T03:01:03.123Z  deferred  budget spent; until 2026-11-30T03:02:02Z, 59 s later

          apns-id   A
          token     8f14e45f
          topic     com.example.caffeine (development)
          received  2026-11-30T03:01:02.123Z
          answer    400 PayloadEmpty
          passed    topic
          failed    payload: 'content-available' in place of 'content-changed'

          """)
      let unknown = run(["explain", "00ff"])
      #expect(unknown.code == .failure)
      #expect(unknown.output == "Nothing is known of 00ff: it is too old, or it never arrived here.\n")
    }
  }

  @Test("explain without an ID lists the newest pushes, or those that were refused, strangers apart") func list() throws
  {
    try withGateway { run, gateway, _ in
      #expect(
        run(["explain", "--last", "5"]).output == """
          RECEIVED              APNS-ID  APP OR TOPIC          TOKEN     ANSWER            WHY
          2026-11-30T03:01:03Z  B        com.example.caffeine  8f14e45f  200               1 sent, 1 deferred until 2026-11-30T03:02:02Z
          2026-11-30T03:01:02Z  A        com.example.caffeine  8f14e45f  400 PayloadEmpty  payload: 'content-available' in place of 'content-changed'

          """)
      let refused = run(["explain", "--refused"]).output
      #expect(refused.contains("\n\nWithout a valid credential:\nRECEIVED "))
      #expect(run(["explain", "--refused", "--json"]).output.contains("\"withoutCredential\":[{"))
      #expect(gateway.calls == ["newest 5 false", "newest 20 true", "newest 20 true"])
      #expect(run(["explain", "--refused", "8f14e45f"]).code == .usage)
      #expect(run(["explain", "--last", "201"]).code == .usage)
    }
  }

  @Test("A refusal is the gateway's own sentence on standard error, with exit code 1") func refusal() throws {
    try withGateway { run, _, _ in
      let result = run(["budget", "show", "ffff"])
      #expect(result.code == .failure)
      #expect(result.output.isEmpty)
      #expect(result.error == "gatewayctl: no registration has the token ffff\n")
      #expect(run(["registrations", "ff"]).error == "gatewayctl: no registration has the token ff\n")
    }
  }

  @Test(
    "What is no token or id is named, and nobody is asked", arguments: ["", "ff/../x?y", "abc", "8f14e45f/reset", "zz"])
  func noToken(text: String) throws {
    try withGateway { run, gateway, _ in
      for command in [["budget", "show"], ["budget", "reset", "--why", "x"], ["registrations"], ["explain"]] {
        let result = run(command + [text])
        #expect(result.code == .usage, "\(command)")
        #expect(result.error.contains("not '\(text)'"), "\(result.error)")
      }
      #expect(gateway.calls.isEmpty)
    }
  }

  @Test("A socket that does not answer is named with what to do") func unreachable() throws {
    try withGateway { _, _, directory in
      let missing = Self.run(["status", "--socket", directory + "/none"])
      #expect(missing.code == .failure)
      #expect(
        missing.error == "gatewayctl: cannot reach the admin socket \(directory)/none: there is no such file: is"
          + " gatewayd running, and is this the socket of its configuration?\n")
      let dead = try AdminSocket.listen(on: .unix(path: directory + "/dead"))
      close(dead.descriptor)
      defer { unlink(directory + "/dead") }
      #expect(
        Self.run(["status", "--socket", directory + "/dead"]).error
          == "gatewayctl: cannot reach the admin socket \(directory)/dead: nobody listens there: is gatewayd running?\n"
      )
    }
  }

  @Test("Every command has a help page with an example or commands of its own") func help() {
    func check(_ path: [String], _ command: Command) {
      let page = Self.run(path + ["--help"])
      #expect(page.code == .success)
      #expect(page.output.contains("Examples:\n") || page.output.contains("Commands:\n"), "\(path)")
      for line in page.output.split(separator: "\n") { #expect(line.count <= 120, "\(line)") }
      for sub in command.subcommands { check(path + [sub.name], sub) }
    }
    check([], Program.gatewayctl)
  }
}
