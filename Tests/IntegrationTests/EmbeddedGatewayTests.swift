import BudgetThrottle
import GatewayCore
import GatewayIO
import GatewayReports
import GatewayTestKit
import HTTPMessage
import PushGateway
import Testing

private let app = "com.example.caffeine"

@Suite("An embedded gateway, over real sockets, TLS and SQLite", .serialized) struct EmbeddedGatewayTests {
  @Test("Three lines start a gateway that a push goes through, from the provider to the device's receipt")
  func aPushArrives() throws {
    let development = try DevelopmentGateway(bundleIDs: [app])
    defer { development.stop() }
    let client = try TestClient(development)
    defer { client.close() }
    let device = try TestDevice(client)
    try device.register(app, kinds: ["caffeine", "water"])
    try device.openStream()

    let provider = try client.connectProvider()
    let answer = try client.exchange(try client.push(to: device.token, app: app), on: provider)
    #expect(answer.status == 200)
    #expect(answer.headers.text(of: .gatewayRefresh) == "sent=2, deferred=0, dropped=0")
    #expect(answer.headers.contains(.apnsUniqueID))
    try device.wait(forEvents: 1)
    #expect(device.events[0].apnsID == answer.headers.text(of: .apnsID))
    #expect(device.events[0].kinds == ["caffeine", "water"])
    #expect(try development.gateway.status().inFlightWidgets == 2)
    try device.acknowledge(device.events[0])
    #expect(try development.gateway.status().inFlightWidgets == 0)
  }

  @Test("What a device has not confirmed comes again after a restart of the gateway, with its id and without a charge")
  func redeliveryOverARestart() throws {
    let development = try DevelopmentGateway(bundleIDs: [app])
    defer { development.stop() }
    let client = try TestClient(development)
    let device = try TestDevice(client)
    try device.register(app, kinds: ["caffeine"])
    try device.openStream()
    _ = try client.exchange(try client.push(to: device.token, app: app), on: try client.connectProvider())
    try device.wait(forEvents: 1)
    client.close()
    development.gateway.stop()

    let restarted = try Gateway(development.configuration)
    defer { restarted.stop() }
    let report = try restarted.registration(token: device.token)
    #expect(report.widgets[0].inFlight?.eventID == device.events[0].id)
    #expect(report.widgets[0].budget.remaining == 3)
    #expect(report.widgets[0].mark == nil)
  }

  @Test("200 pushes at once on a fresh connection all get through, though SETTINGS admits to one stream")
  func surplusStreams() throws {
    let development = try DevelopmentGateway(bundleIDs: [app]) { $0.checks.pushesPerTokenPerMinute = 0 }
    defer { development.stop() }
    let client = try TestClient(development)
    defer { client.close() }
    let device = try TestDevice(client)
    try device.register(app, kinds: ["caffeine"])
    let provider = try client.connectProvider()
    let request = try client.push(to: device.token, app: app)
    var statuses: [Int] = []
    for _ in 0..<200 { provider.send(request) { statuses.append((try? $0.get().status) ?? 0) } }
    try client.wait(for: "200 answers") { statuses.count == 200 }
    #expect(statuses.allSatisfy { $0 == 200 })
  }

  @Test("A drain answers what is under way, tells providers why, and ends")
  func drain() throws {
    let development = try DevelopmentGateway(bundleIDs: [app])
    let client = try TestClient(development)
    let device = try TestDevice(client)
    try device.register(app, kinds: ["caffeine"])
    let provider = try client.connectProvider()
    var ending: ClientError?
    var hasEnded = false
    provider.closed = { error in
      ending = error
      hasEnded = true
    }
    _ = try client.exchange(try client.push(to: device.token, app: app), on: provider)
    development.gateway.beginDrain(for: .seconds(5))
    try client.wait(for: "the goodbye") { hasEnded }
    #expect("\(ending.map { "\($0)" } ?? "")".contains("Shutdown"))
    client.close()
    development.gateway.waitUntilEnded()
    development.stop()
  }

  @Test("A reload takes new budgets at once and refuses broken keys whole")
  func reload() throws {
    let development = try DevelopmentGateway(bundleIDs: [app])
    defer { development.stop() }
    let client = try TestClient(development)
    defer { client.close() }
    let device = try TestDevice(client)
    try device.register(app, kinds: ["caffeine"])
    var changed = development.configuration
    changed.budget.standard = BudgetPolicy(refreshesPerDay: 70, burst: 2)
    try development.gateway.reload(changed)
    #expect(try development.gateway.budgets(token: device.token).widgets[0].budget.limit == 70)
    #expect(try development.gateway.budgets(token: device.token).widgets[0].budget.remaining == 2)

    var broken = changed
    broken.providerKeys[0].pem = Secret(Array("no key".utf8))
    broken.budget.standard = BudgetPolicy(refreshesPerDay: 10, burst: 1)
    #expect(throws: GatewayError.self) { try development.gateway.reload(broken) }
    #expect(try development.gateway.budgets(token: device.token).widgets[0].budget.limit == 70)
  }

  @Test(
    "Developer mode for more seconds than there are milliseconds to count them is too long, and not over already",
    arguments: [Int.max, Int.max / 1000 + 1, 18_446_744_073_709_580])
  func developerModeForEver(seconds: Int) throws {
    let development = try DevelopmentGateway(bundleIDs: [app])
    defer { development.stop() }
    let request = DeveloperModeRequest(app: app, seconds: seconds, who: "operator", why: "a slip of the keyboard")
    let failure = #expect(throws: AdminFailure.self) {
      try development.gateway.grantDeveloperMode(request, peerUID: nil)
    }
    #expect(failure?.status == 422)
    #expect(failure?.detail.contains("at most") == true)
    #expect(try development.gateway.developerModes().isEmpty)
  }

  @Test("Two gateways cannot have one store") func oneStore() throws {
    let development = try DevelopmentGateway(bundleIDs: [app])
    defer { development.stop() }
    #expect(throws: GatewayError.self) { try Gateway(development.configuration) }
  }
}
