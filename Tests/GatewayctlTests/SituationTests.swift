import CommandLineInterface
import Foundation
import GatewayIO
import Testing

@testable import gatewayctl

/// Protects what simulated devices can be in, and the credentials and lines by which other clients push, against a
/// whole gateway.
@Suite("Situations of simulated devices, and other clients") struct SituationTests {
  private func withGateway(_ settings: String = "", _ body: (LiveGateway) throws -> Void) throws {
    let live = try LiveGateway(settings)
    defer { live.stop() }
    try body(live)
  }

  private func simulate(_ live: LiveGateway, _ arguments: String...) -> BackgroundRun {
    BackgroundRun(["--config", live.directory.path() + "gatewayd.toml", "simulate", "--widgets", "1"] + arguments)
  }

  private func lastWord(of line: String?) -> String? { line?.split(separator: " ").last.map(String.init) }

  @Test(
    "Pushes to a device with the app on the screen, or with developer mode, are not charged",
    arguments: [("--foreground", "exempt"), ("--developer-mode", "bypass")]) func lifted(option: String, why: String)
    throws
  {
    try withGateway("[budget]\nrefreshes-per-day = 2\nburst = 1") { live in
      let simulation = simulate(live, option, "--name", "phone")
      let token = try #require(lastWord(of: simulation.line(with: "phone  ", "ready, token")))
      for _ in 0..<3 { #expect(live.run(["push", token]).output.contains("sent=1, deferred=0, dropped=0")) }
      let table = live.run(["explain", token, "--table"])
      #expect(table.output.split(separator: "\n").dropFirst().allSatisfy { $0.contains("  \(why): ") }, "\(table)")
      #expect(live.run(["budget", "show", token, "--json"]).output.contains("\"remaining\":1"))
      #expect(simulation.interrupt() == .success)
      #expect(simulation.output.printedText.contains("phone: 3 refreshes of 3 widgets on 1 of 1 device in "))
    }
  }

  @Test("A device that is away gets what can wait, and nothing else; interrupted, it leaves all the same") func away()
    throws
  {
    try withGateway { live in
      let simulation = simulate(live, "--away", "1h")
      let token = try #require(lastWord(of: simulation.line(with: "registered, away for 1 h, token")))
      #expect(live.run(["push", token, "--expiration", "0"]).output.contains("sent=0, deferred=0, dropped=1"))
      #expect(live.run(["push", token]).output.contains("sent=0, deferred=1, dropped=0"))
      let table = live.run(["explain", token, "--table"]).output
      #expect(table.contains("  dropped "))
      #expect(table.contains("  deferred "))
      #expect(simulation.interrupt() == .failure, "it was never ready")
      #expect(live.run(["registrations"]).output == "No registrations.\n")

      let back = simulate(live, "--away", "1ms")
      let other = try #require(lastWord(of: back.line(with: "ready, token")))
      #expect(live.run(["push", other]).output.contains("sent=1, deferred=0, dropped=0"))
      #expect(back.interrupt() == .success)
    }
  }

  @Test("token prints a provider token that the configuration's key has signed") func providerToken() throws {
    try withGateway { live in
      let text = live.run(["token"]).output
      let parts = text.dropLast().split(separator: ".").map(String.init)
      #expect(parts.count == 3)
      let header = try #require(decoded(parts[0]))
      #expect(header["alg"] as? String == "ES256")
      #expect(header["kid"] as? String == "F6G7H8J9K0")
      let claims = try #require(decoded(parts[1]))
      #expect(claims["iss"] as? String == "A1B2C3D4E5")
      let issued = try #require(claims["iat"] as? Int64)
      #expect(abs(issued - Int64(time(nil))) < 3600)

      let json = live.run(["token", "--json"]).output
      #expect(json.contains("\"key-id\":\"F6G7H8J9K0\""))
      #expect(json.contains("\"expires\":"))
      let other = live.run(["token", "--environment", "production"])
      #expect(other.code == .failure)
      #expect(other.error.contains("no [[provider-key]] for production"))
    }
  }

  private func decoded(_ part: String) -> [String: Any]? {
    var text = part.replacing("-", with: "+").replacing("_", with: "/")
    while text.count % 4 != 0 { text += "=" }
    return Data(base64Encoded: text).flatMap { try? JSONSerialization.jsonObject(with: $0) as? [String: Any] }
  }

  @Test("push --curl sends nothing, and prints a line that makes its own token") func curl() throws {
    try withGateway { live in
      let result = live.run(["push", "ff", "--bundle-id", LiveGateway.app, "--expiration", "0", "--curl"])
      #expect(result.code == .success, "\(result.error)")
      #expect(result.output.hasPrefix("curl -i --http2 --cacert "))
      #expect(result.output.contains("/ca.pem https://localhost:"))
      #expect(result.output.contains("/3/device/ff -H 'apns-topic: com.example.caffeine.push-type.widgets'"))
      #expect(result.output.contains(" -H 'apns-expiration: 0'"))
      #expect(result.output.contains("-H \"authorization: bearer $("))
      #expect(!result.output.contains("eyJ"), "no token may be in it")
      #expect(result.output.contains("gatewayd.toml token --bundle-id com.example.caffeine)\""))
      #expect(result.output.hasSuffix(" --data-binary '{\"aps\":{\"content-changed\":true}}'\n"))
      #expect(live.run(["status"]).output.contains("0 accepted, 0 refused"))
    }
  }

  @Test(
    "A line for curl reaches every kind of listener, and nothing in it escapes the shell's quotes",
    arguments: [
      (
        SocketAddress.unix(path: "/run/g w.sock"),
        "curl -i --http2-prior-knowledge --unix-socket '/run/g w.sock' http://localhost/3/device/ff"
      ),
      (.tcp(host: "::1", port: 80), "curl -i --http2-prior-knowledge 'http://[::1]:80/3/device/ff'"),
    ]) func cleartext(address: SocketAddress, start: String)
  {
    let line = CurlLine(
      target: ServerTarget(address: address, security: .cleartext), caFile: nil,
      request: ClientRequest(.post, "/3/device/ff", fields: [("apns-topic", "it's")], body: Array("$(x)".utf8)),
      credential: .tokenCommand(["gatewayctl", "token"])
    ).text
    #expect(
      line == start + #" -H 'apns-topic: it'\''s' -H "authorization: bearer $(gatewayctl token)" --data-binary '$(x)'"#)
  }
}
