import GatewayCore
import Glibc
import Testing

@testable import gatewayd

/// Protects the operator's way in: whoever opens many admin connections and says nothing, or says it slowly, keeps nobody
/// out.
@Suite("A crowd at the admin server") struct AdminCrowdTests {
  @Test("Connections that say nothing make room for one that asks, on the socket and on TCP", arguments: [true, false])
  func silent(onSocket: Bool) throws {
    let folder = try TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    var settings = GatewayConfiguration.Admin()
    settings.socket = onSocket ? folder.path + "/admin.sock" : nil
    settings.listen = onSocket ? nil : .tcp(host: "127.0.0.1", port: 0)
    let server = try AdminServer(settings, backend: FakeBackend())
    defer { server.stop() }
    let client = RawHTTPClient(address: server.addresses[0])
    var crowd: [Int32] = []
    defer { crowd.forEach { close($0) } }
    for _ in 0..<60 {
      let descriptor = try #require(client.connected())
      // Half of a request, which never ends.
      _ = send(descriptor, "GET /heal", 9, Int32(MSG_NOSIGNAL))
      crowd.append(descriptor)
    }
    for _ in 0..<3 { #expect(client.send("GET", "/healthz")?.status == 200) }
  }
}
