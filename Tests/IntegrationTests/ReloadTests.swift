import BudgetThrottle
import GatewayCore
import GatewayReports
import GatewayTestKit
import Testing

@testable import PushGateway

private let app = "com.example.caffeine"

/// Who reloads must know which configuration is in force.
@Suite("The end of a reload's patience", .serialized) struct ReloadTests {
  @Test("A reload that is given up is not taken over, however late it is given up") func claimedOnce() throws {
    let development = try DevelopmentGateway(bundleIDs: [app])
    defer { development.stop() }
    let client = try TestClient(development)
    defer { client.close() }
    let device = try TestDevice(client)
    try device.register(app, kinds: ["caffeine"])
    func limit() throws -> Int { try development.gateway.budgets(token: device.token).widgets[0].budget.limit }

    var changed = development.configuration
    var inForce = try limit()
    for round in 1...300 {
      let new = 100 + round
      changed.budget.standard = BudgetPolicy(refreshesPerDay: new, burst: 2)
      do throws(GatewayError) {
        try development.gateway.reload(changed, within: .microseconds(round % 60 * 2))
        inForce = new
      } catch {}
      #expect(try limit() == inForce)
    }
  }
}
