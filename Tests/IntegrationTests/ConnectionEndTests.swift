import GatewayCore
import GatewayIO
import GatewayTestKit
import Testing

@testable import PushGateway

private let app = "com.example.caffeine"

/// Devices come and go all day: what a closed connection leaves behind adds up to the gateway's memory.
@Suite("The end of a connection", .serialized) struct ConnectionEndTests {
  @Test("A device's connection that has lived through many heartbeats leaves no timer behind, which would hold it")
  func timersEndWithTheirConnection() throws {
    let development = try DevelopmentGateway(bundleIDs: [app]) { $0.device?.heartbeat = .milliseconds(20) }
    defer { development.stop() }
    let client = try TestClient(development)
    defer { client.close() }
    func timers() throws -> Int { try development.gateway.askLoops { $0.loop.timerCount }.reduce(0, +) }
    func connections() throws -> Int { try development.gateway.askLoops { $0.connections.count }.reduce(0, +) }
    let before = try timers()

    let connection = try client.connectDevice()
    var turns = 0
    try client.wait(for: "more heartbeats than a connection has timers") {
      turns += 1
      return turns > 40
    }
    #expect(try connections() == 1)
    connection.close()
    try client.wait(for: "the end of the connection") { try connections() == 0 }
    #expect(try timers() == before)
  }
}
