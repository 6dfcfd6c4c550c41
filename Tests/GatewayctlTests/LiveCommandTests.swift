import CommandLineInterface
import Foundation
import GatewayIO
import GatewayCore
import Testing

@testable import gatewayctl

/// Protects the way of a push from the command line through a real gateway to a simulated device and back into the
/// reports, over TLS and HTTP/2.
@Suite("Commands against a whole gateway") struct LiveCommandTests {
  private func withGateway(_ settings: String = "", _ body: (LiveGateway) throws -> Void) throws {
    let live = try LiveGateway(settings)
    defer { live.stop() }
    try body(live)
  }

  private func simulate(_ live: LiveGateway, _ arguments: String...) -> BackgroundRun {
    BackgroundRun(["--config", live.directory.path() + "gatewayd.toml", "simulate"] + arguments)
  }

  @Test("A pushed refresh is printed by the simulated device, and everything can be asked about it") func wholeWay()
    throws
  {
    try withGateway { live in
      let simulation = simulate(live, "--seed", "7", "--widgets", "3")
      let ready = try #require(simulation.line(with: "ready, token"), "\(simulation.output.errorText)")
      let token = try #require(ready.split(separator: " ").last.map(String.init))
      #expect(token.count == 64)
      #expect(simulation.line(with: "1 device ready") != nil)

      let pushed = live.run(["push", token, "--id", "0A1B2C3D-4E5F-4A6B-8C7D-9E0F1A2B3C4D"])
      #expect(pushed.code == .success, "\(pushed.error)")
      #expect(
        pushed.output.contains("   200          0A1B2C3D-4E5F-4A6B-8C7D-9E0F1A2B3C4D  sent=3, deferred=0, dropped=0"))
      let line = try #require(simulation.line(with: "refresh ", "apns-id"))
      #expect(line.hasSuffix("apns-id 0A1B2C3D-4E5F-4A6B-8C7D-9E0F1A2B3C4D"))
      #expect(line.contains("widget-1/systemSmall widget-1/systemMedium widget-1/systemLarge"))

      let status = live.run(["status"])
      #expect(status.code == .success, "\(status.error)")
      #expect(status.output.contains("devices         1, 1 connected"))
      #expect(status.output.contains("1 accepted, 0 refused"))
      let budget = live.run(["budget", "show", token])
      #expect(budget.output.contains("0  widget-1  systemSmall "))
      #expect(live.run(["registrations", "--app", LiveGateway.app]).output.contains(token))
      let explained = live.run(["explain", "0A1B2C3D-4E5F-4A6B-8C7D-9E0F1A2B3C4D"])
      #expect(explained.output.contains("sent"), "\(explained)")

      #expect(simulation.interrupt() == .success)
      #expect(simulation.output.printedText.contains("1 refresh of 3 widgets on 1 of 1 device in "))
      // It has left for good.
      let gone = live.run(["push", token, "--bundle-id", LiveGateway.app])
      #expect(gone.code == .failure)
      #expect(gone.output.contains("410  Unregistered"))
    }
  }

  @Test("--app pushes to every registration of the app, in order and all answered") func crowd() throws {
    try withGateway { live in
      let simulation = simulate(live, "--devices", "40", "--widgets", "1", "--json")
      #expect(simulation.line(with: "\"all-ready\"") != nil, "\(simulation.output.errorText)")
      let pushed = live.run(["push", "--app", LiveGateway.app, "--json"])
      #expect(pushed.code == .success, "\(pushed.error)")
      let results = try #require(
        try JSONSerialization.jsonObject(with: Data(pushed.output.utf8)) as? [[String: Any]])
      #expect(results.count == 40)
      #expect(results.allSatisfy { $0["gateway-refresh"] as? String == "sent=1, deferred=0, dropped=0" })
      while simulation.count(of: "\"event\":\"refresh\"") < 40 { usleep(2000) }
      #expect(simulation.interrupt() == .success)
      #expect(simulation.output.printedText.contains("\"refreshes\":40"))
      #expect(live.run(["registrations"]).output == "No registrations.\n")
    }
  }

  @Test("A refused push exits with 1 and shows reason and detail") func refused() throws {
    try withGateway { live in
      let result = live.run(["push", "ff", "--bundle-id", LiveGateway.app])
      #expect(result.code == .failure)
      #expect(result.output.contains("400  BadDeviceToken"))
      let payload = live.run(
        ["push", "ff", "--bundle-id", LiveGateway.app, "--payload", #"{"aps":{"content-available":1}}"#])
      #expect(payload.output.contains("400  PayloadEmpty"))
      #expect(payload.output.contains("content-available"))
      let topic = live.run(["push", "ff", "--bundle-id", "org.example.other"])
      #expect(topic.code == .failure)
      let unasked = live.run(["push", "ff"])
      #expect(unasked.code == .failure)
      #expect(unasked.error.contains("give --bundle-id and --environment to push without asking"))
      let keyless = live.run(["push", "ff", "--bundle-id", LiveGateway.app, "--environment", "production"])
      #expect(keyless.error.contains("no [[provider-key]] for production; give --key-file, --key-id and --team"))
    }
  }

  @Test("A push with a client certificate needs no key, and what does not go with one is told")
  func certificate() throws {
    let authority = try DevelopmentClientAuthority(wallSeconds: Int64(Date().timeIntervalSince1970))
    let identity = try authority.issue(.init(bundleIDs: [LiveGateway.app]))
    try withGateway { live in
      let file = live.directory.appending(path: "client.pem").path()
      try Data(identity.certificateChain + identity.privateKey).write(to: URL(fileURLWithPath: file))
      let push = ["push", "ff", "--bundle-id", LiveGateway.app, "--cert", file]
      // The listener asks for no certificate, so nothing proves who pushes.
      #expect(live.run(push).output.contains("403  MissingProviderToken"))
      let line = live.run(push + ["--curl"]).output
      #expect(line.contains(" --cert \(file) ") && !line.contains("authorization") && !line.contains("--key "))
      #expect(live.run(push + ["--cert-key", "k.pem", "--curl"]).error.contains("cannot read the certificate's key"))
      #expect(live.run(push + ["--key-file", "k.p8"]).code == .usage)
      #expect(live.run(["push", "ff", "--bundle-id", LiveGateway.app, "--cert-key", "k.pem"]).code == .usage)
      let other = live.directory.appending(path: "server.key").path()
      #expect(live.run(push + ["--cert-key", other]).error.contains("the key does not match the certificate"))
    }
  }

  @Test("Who does not answer, or cannot be trusted, is named with what to do") func unreachable() throws {
    try withGateway { live in
      let push = ["push", "ff", "--bundle-id", LiveGateway.app]
      let nobody = live.run(push + ["--server", "127.0.0.1:1"])
      #expect(nobody.code == .failure)
      #expect(
        nobody.error
          == "gatewayctl: cannot push to 127.0.0.1:1: Connection refused: is gatewayd running?\n")
      let stranger = live.run(push + ["--server-name", "elsewhere.example"])
      #expect(stranger.code == .failure)
      #expect(stranger.error.contains("--server-name NAME what the certificate is for"), "\(stranger.error)")
      let device = live.run(["simulate", "--server", "127.0.0.1:1"])
      #expect(device.error == "gatewayctl: device 1 at 127.0.0.1:1: Connection refused: is gatewayd running?\n")
      let wrongKey = live.directory.appending(path: "wrong.key")
      try Data("not-it\n".utf8).write(to: wrongKey)
      let refused = live.run(["simulate", "--key-file", wrongKey.path()])
      #expect(refused.code == .failure)
      #expect(refused.error.contains("cannot enrol: 401"), "\(refused.error)")
      #expect(live.run(push + ["--server", "127.0.0.1"]).code == .usage)
      #expect(live.run(["simulate", "--os", "x"]).code == .usage)
    }
  }

  @Test("A spent budget shows as deferred, and developer mode lifts it") func budgets() throws {
    try withGateway("[budget]\nrefreshes-per-day = 2\nburst = 1") { live in
      let simulation = simulate(live, "--widgets", "1")
      let ready = try #require(simulation.line(with: "ready, token"), "\(simulation.output.errorText)")
      let token = try #require(ready.split(separator: " ").last.map(String.init))
      #expect(live.run(["push", token]).output.contains("sent=1, deferred=0, dropped=0"))
      #expect(live.run(["push", token]).output.contains("sent=0, deferred=1, dropped=0, retry="))
      let on = live.run(["developer-mode", "on", "--app", LiveGateway.app, "--why", "layout"])
      #expect(on.code == .success, "\(on.error)")
      while simulation.count(of: "refresh ") < 2 { usleep(2000) }
      #expect(live.run(["push", token]).output.contains("sent=1, deferred=0, dropped=0"))
      #expect(live.run(["developer-mode", "audit"]).output.contains("layout"))
      #expect(simulation.interrupt() == .success)
    }
  }
}
