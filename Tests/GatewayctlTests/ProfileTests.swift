import CommandLineInterface
import Dispatch
import Foundation
import Testing

@testable import gatewayctl

/// Protects what each profile of the simulator plays, seen from the gateway.
@Suite("Profiles of simulated devices against a whole gateway") struct ProfileTests {
  /// What the last line of `--json` says, as far as these tests ask.
  private struct Summary: Decodable {
    struct Behind: Decodable { let missed, budget, away, unread: Int }
    struct Spread: Decodable { let count: Int; let p99: Double }
    struct Profile: Decodable { let profile: String; let devices: Int }
    let devices, ready, refreshes, refreshedWidgets, duplicates, unexplainedDuplicates, lostReceipts: Int
    let reconnects, reinstallations: Int
    let behind: Behind
    let latency: Spread?
    let gaps: Spread?
    let profiles: [Profile]
  }

  private func withGateway(_ settings: String = "", _ body: (LiveGateway) throws -> Void) throws {
    let live = try LiveGateway(settings)
    defer { live.stop() }
    try body(live)
  }

  /// - Parameter profile: one profile of a file; nil: none.
  private func simulate(_ live: LiveGateway, profile: String? = nil, _ arguments: [String]) throws -> BackgroundRun {
    var words = ["--config", live.directory.path() + "gatewayd.toml", "simulate", "--json", "--widgets", "1"]
    if let profile {
      let file = live.directory.appending(path: "profiles.json").path()
      try Data("{\"profiles\":[\(profile)]}".utf8).write(to: URL(fileURLWithPath: file))
      words += ["--profiles", file]
    }
    return BackgroundRun(words + arguments)
  }

  private func token(of run: BackgroundRun, device: Int = 1) throws -> String {
    struct Line: Decodable { let token: String }
    let line = try #require(run.line(with: "\"event\":\"ready\"", "\"device\":\(device),"), "\(run.output.errorText)")
    return try JSONDecoder().decode(Line.self, from: Data(line.utf8)).token
  }

  private func summary(of run: BackgroundRun) throws -> (ExitCode, Summary) {
    let code = run.interrupt()
    let line = try #require(run.output.printedText.split(separator: "\n").last)
    return (code, try JSONDecoder().decode(Summary.self, from: Data(line.utf8)))
  }

  /// Asks again and again for half a minute at most.
  private func eventually(_ condition: () throws -> Bool) rethrows -> Bool {
    let end = DispatchTime.now() + .seconds(30)
    while DispatchTime.now() < end {
      if try condition() { return true }
      usleep(10_000)
    }
    return false
  }

  @Test("commuter: comes back by itself, and gets then what it was not there for") func commuter() throws {
    try withGateway { live in
      let run = try simulate(
        live, profile: #"{"name":"hasty","like":"commuter","connected":"200ms","away":"300ms"}"#, ["--seed", "4"])
      let token = try token(of: run)
      #expect(eventually { live.run(["status"]).output.contains("1, 0 connected") })
      #expect(live.run(["push", token]).code == .success)
      #expect(run.line(with: "\"event\":\"refresh\"") != nil)
      let (code, summary) = try summary(of: run)
      #expect(code == .success)
      #expect(summary.reconnects >= 1 && summary.refreshes == 1 && summary.duplicates == 0)
    }
  }

  @Test("night: says that it sleeps, and a push of priority 1 waits for that") func night() throws {
    try withGateway("[delivery]\nlow-priority-window = \"0s\"") { live in
      let run = try simulate(
        live, profile: #"{"name":"early","like":"night","awake":"100ms","asleep":"1h"}"#, [])
      let token = try token(of: run)
      #expect(
        eventually {
          _ = live.run(["push", token, "--priority", "1"])
          return live.run(["explain", token, "--table"]).output.contains("sleep")
        })
      #expect(try summary(of: run).0 == .success)
    }
  }

  @Test("flaky: loses its receipts, so that the same comes again, and says that this explains it") func flaky() throws {
    try withGateway { live in
      let run = try simulate(
        live, profile: #"{"name":"bad","like":"flaky","connected":"300ms","away":"100ms","loses-receipts":1}"#, [])
      let token = try token(of: run)
      #expect(live.run(["push", token]).code == .success)
      #expect(run.line(with: "\"event\":\"refresh\"") != nil)
      #expect(eventually { live.run(["explain", token, "--json"]).output.contains("resent") })
      usleep(100_000)
      let (_, summary) = try summary(of: run)
      #expect(summary.refreshes == 1 && summary.duplicates >= 1 && summary.lostReceipts >= 2)
      #expect(summary.unexplainedDuplicates == 0)
    }
  }

  @Test("slow: does not read, so that the gateway waits, and is not charged for what it does not read") func slow()
    throws
  {
    try withGateway { live in
      let run = try simulate(live, ["--devices", "2", "--profile", "slow", "--profile", "steady"])
      let slow = try token(of: run, device: 1)
      let steady = try token(of: run, device: 2)
      for _ in 0..<3 { #expect(live.run(["push", slow]).code == .success) }
      #expect(live.run(["explain", slow, "--table"]).output.contains("the device has not taken the last event yet"))
      #expect(live.run(["push", steady]).output.contains("sent=1, deferred=0, dropped=0"))
      #expect(
        live.run(["budget", "show", slow, "--json"]).output.contains("\"remaining\":3"), "one hand-over was charged")
      #expect(run.line(with: "\"event\":\"refresh\"", "\"device\":2,") != nil)
      let (code, summary) = try summary(of: run)
      #expect(code == .success)
      #expect(summary.refreshes == 1)
      #expect(summary.profiles.map(\.profile) == ["slow", "steady"])
    }
  }

  @Test("reinstall: takes another token, and the old one is gone") func reinstall() throws {
    try withGateway { live in
      let run = try simulate(live, profile: #"{"name":"new","like":"reinstall","reinstalls":"100ms"}"#, [])
      let token = try token(of: run)
      #expect(
        eventually { live.run(["push", token, "--bundle-id", LiveGateway.app]).output.contains("410  Unregistered") })
      let (code, summary) = try summary(of: run)
      #expect(code == .success)
      #expect(summary.reinstallations >= 1 && summary.ready == 1)
    }
  }

  @Test("Devices share connections, and each gets its own") func shared() throws {
    try withGateway { live in
      let run = try simulate(
        live, ["--devices", "21", "--devices-per-connection", "8", "--platform", "iOS", "--platform", "watchOS"])
      _ = try #require(run.line(with: "all-ready"), "\(run.output.errorText)")
      #expect(live.run(["status"]).output.contains("devices         21, 21 connected"))
      let sent = Date().timeIntervalSince1970 * 1000
      let payload = "{\"aps\":{\"content-changed\":true},\"sent\":\(Int64(sent))}"
      #expect(live.run(["push", "--app", LiveGateway.app, "--payload", payload]).code == .success)
      #expect(eventually { run.count(of: "\"event\":\"refresh\"") == 21 })
      let (code, summary) = try summary(of: run)
      #expect(code == .success)
      #expect(summary.refreshes == 21 && summary.latency?.count == 21 && summary.behind.missed == 0)
      #expect(live.run(["registrations"]).output == "No registrations.\n")
    }
  }

  @Test("A seed gives the same tokens, and once more on the same gateway others, as it says") func seed() throws {
    try withGateway { live in
      let first = try simulate(live, ["--seed", "9"])
      let plan = try token(of: first)
      #expect(try summary(of: first).0 == .success)
      let second = try simulate(live, ["--seed", "9"])
      #expect(try token(of: second) != plan)
      #expect(second.output.errorText.contains("the tokens of seed 9 from an earlier run"))
      #expect(try summary(of: second).0 == .success)
    }
  }

  @Test("A picture is kept up to date: as placed, refreshed, and stale when the budget is spent") func picture() throws
  {
    try withGateway("[budget]\nrefreshes-per-day = 2\nburst = 1") { live in
      let file = live.directory.appending(path: "screen.svg")
      let run = try simulate(live, ["--snapshot", file.path()])
      let token = try token(of: run)
      func shows(_ text: String) -> Bool { (try? String(contentsOf: file, encoding: .utf8))?.contains(text) == true }
      #expect(eventually { shows("1 widget: 1 as placed") })
      #expect(live.run(["push", token]).code == .success)
      #expect(eventually { shows("1 widget: 1 fresh") && shows("0 left") })
      #expect(live.run(["push", token]).output.contains("deferred=1"))
      #expect(eventually { shows("1 widget: 1 stale") && shows("budget until") })
      #expect(try summary(of: run).0 == .success)
    }
  }

  @Test("Wrong options are refused") func wrong() throws {
    try withGateway { live in
      for (arguments, expected) in [
        (["--profile", "stedy"], "did you mean steady?"), (["--profile", "steady=0"], "a share from 1"),
        (["--platform", "iPadO"], "did you mean iPadOS?"), (["--devices-per-connection", "33"], "from 1 to 32"),
        (["--snapshot-device", "2"], "from 1 to 1"), (["--profiles", "/nowhere"], "cannot read the profiles /nowhere"),
      ] {
        let run = live.run(["simulate"] + arguments)
        #expect(run.code != .success)
        #expect(run.error.contains(expected), "\(run.error)")
      }
    }
  }
}
