import BudgetThrottle
import GatewayCore
import GatewayIO
import GatewayReports
import GatewayTestKit
import HTTPMessage
import PushGateway
import Testing

private let app = "com.example.caffeine"

/// Protects that `explain` tells the truth about whole pushes through a real gateway: the check that refused one, who
/// lifted a budget, and what became of it before the last restart.
@Suite("explain, over real sockets, TLS and SQLite", .serialized) struct ExplainTests {
  private typealias Change = @Sendable (inout [(name: String, value: String)]) -> Void

  private struct Wrong: Sendable, CustomTestStringConvertible {
    var check: String
    var reason: String
    /// Of the token; its own when nil.
    var token: String?
    var payload = #"{"aps":{"content-changed":true}}"#
    var fields: [String: String?] = [:]
    var testDescription: String { "\(check): \(reason)" }
  }

  private static let wrongs = [
    Wrong(check: "provider-credential", reason: "MissingProviderToken", fields: ["authorization": nil]),
    Wrong(check: "provider-credential", reason: "InvalidProviderToken", fields: ["authorization": "bearer a.b.c"]),
    Wrong(check: "apns-id", reason: "BadMessageId", fields: ["apns-id": "seven"]),
    Wrong(check: "expiration", reason: "BadExpirationDate", fields: ["apns-expiration": "soon"]),
    Wrong(check: "priority", reason: "BadPriority", fields: ["apns-priority": "7"]),
    Wrong(
      check: "collapse-id", reason: "BadCollapseId",
      fields: ["apns-collapse-id": String(repeating: "x", count: 65)]),
    Wrong(check: "push-type-value", reason: "InvalidPushType", fields: ["apns-push-type": "widget"]),
    Wrong(check: "topic", reason: "MissingTopic", fields: ["apns-topic": nil]),
    Wrong(check: "topic", reason: "BadTopic", fields: ["apns-topic": app]),
    Wrong(
      check: "topic-for-credential", reason: "TopicDisallowed",
      fields: ["apns-topic": "org.example.other.push-type.widgets"]),
    Wrong(check: "push-type-for-topic", reason: "InvalidPushType", fields: ["apns-push-type": "background"]),
    Wrong(check: "push-type-for-topic", reason: "InvalidPushType", fields: ["apns-push-type": nil]),
    Wrong(check: "payload", reason: "PayloadEmpty", payload: #"{"aps":{"content-available":1}}"#),
    Wrong(check: "token", reason: "BadDeviceToken", token: "xyz"),
    Wrong(check: "token-known", reason: "BadDeviceToken", token: "00ff"),
  ]

  @Test("A refused push is told with the checks that it passed and the one that refused it", arguments: wrongs)
  private func refused(wrong: Wrong) throws {
    let development = try DevelopmentGateway(bundleIDs: [app])
    defer { development.stop() }
    let client = try TestClient(development)
    defer { client.close() }
    let device = try TestDevice(client)
    try device.register(app, kinds: ["caffeine"])
    var request = try client.push(to: wrong.token ?? device.token, app: app, payload: wrong.payload)
    for (name, value) in wrong.fields {
      request.fields.removeAll { $0.name == name }
      if let value { request.fields.append((name: name, value: value)) }
    }
    let answer = try client.exchange(request, on: try client.connectProvider())
    #expect(answer.status >= 400)
    let id = try #require(answer.headers.text(of: .apnsID))
    let report = try development.gateway.explain(id: id)
    let push = try #require(report.pushes.first)
    #expect(push.status == answer.status)
    #expect(push.reason == wrong.reason)
    #expect(push.checks.last?.check == wrong.check)
    #expect(push.checks.last?.passed == false)
    #expect(push.checks.last?.detail == push.detail)
    #expect(push.checks.dropLast().allSatisfy { $0.passed })
    let order = PushCheck.allCases.map(\.rawValue).filter { $0 != "store" }
    #expect(push.checks.map(\.check) == Array(order.prefix(push.checks.count)))
    #expect(push.topic == wrong.fields["apns-topic"] ?? "\(app).push-type.widgets")

    let list = try development.gateway.explainNewest(20, refusedOnly: true)
    let isStranger = wrong.check == "provider-credential"
    #expect(list.pushes.map(\.apnsID) == (isStranger ? [] : [id]))
    #expect(list.withoutCredential.map(\.apnsID) == (isStranger ? [id] : []))
    if let token = wrong.token, token != "xyz" {
      #expect(
        try development.gateway.explain(id: token).pushes.map(\.apnsID) == [id], "the token is unknown, the push not")
    }
  }

  @Test("A push over its flood limit, and one over budget in reject mode, are listed as refused")
  func floodAndBudget() throws {
    let development = try DevelopmentGateway(bundleIDs: [app]) {
      $0.checks.pushesPerTokenPerMinute = 3
      $0.budget.standard = BudgetPolicy(refreshesPerDay: 1)
      $0.budget.overBudget = .reject
    }
    defer { development.stop() }
    let client = try TestClient(development)
    defer { client.close() }
    let device = try TestDevice(client)
    try device.register(app, kinds: ["caffeine"])
    try device.openStream()
    let provider = try client.connectProvider()
    let request = try client.push(to: device.token, app: app)
    #expect(try client.exchange(request, on: provider).status == 200)
    let rejected = try client.exchange(request, on: provider)
    #expect(rejected.status == 429)
    _ = try client.exchange(request, on: provider)
    let flooded = try client.exchange(request, on: provider)
    #expect(flooded.status == 429)

    let list = try development.gateway.explainNewest(20, refusedOnly: true).pushes
    #expect(list.count == 3)
    #expect(list.first?.checks.last?.check == "flood")
    let id = try #require(rejected.headers.text(of: .apnsID))
    let push = try #require(try development.gateway.explain(id: id).pushes.first)
    #expect(try development.gateway.explain(id: id).pushes.count == 1, "told once, and widget by widget")
    #expect(push.status == 429)
    #expect(push.checks.allSatisfy { $0.passed })
    #expect(push.decisions.map(\.outcome) == [.rejected])
    #expect(push.decisions.first?.until != nil)
  }

  @Test("Who let a refresh through, and why, is told for it; after a restart, and by apns-unique-id too")
  func bypassOverARestart() throws {
    let development = try DevelopmentGateway(bundleIDs: [app]) {
      $0.budget.standard = BudgetPolicy(refreshesPerDay: 1)
    }
    defer { development.stop() }
    let client = try TestClient(development)
    let device = try TestDevice(client)
    try device.register(app, kinds: ["caffeine"])
    try device.openStream()
    _ = try development.gateway.grantDeveloperMode(
      DeveloperModeRequest(app: app, seconds: 60, who: "ada", why: "layout work"), peerUID: 1000)
    let answer = try client.exchange(try client.push(to: device.token, app: app), on: try client.connectProvider())
    try device.wait(forEvents: 1)
    try device.acknowledge(device.events[0])
    let unique = try #require(answer.headers.text(of: .apnsUniqueID))
    let before = try development.gateway.explain(id: unique)
    client.close()
    development.gateway.stop()

    let restarted = try Gateway(development.configuration)
    defer { restarted.stop() }
    let after = try restarted.explain(id: unique)
    let push = try #require(after.pushes.first)
    #expect(push.apnsID == answer.headers.text(of: .apnsID))
    #expect(push.apnsUniqueID == unique)
    #expect(push.decisions.map(\.outcome) == [.marked, .sent, .received])
    #expect(push.decisions[1].why == "bypass: developer mode of app \(app) (ada: layout work)")
    #expect(push.decisions[1].event == device.events[0].id)
    #expect(push.decisions[1].family == "systemSmall")
    #expect(push.decisions.map(\.outcome) == before.pushes.first?.decisions.map(\.outcome))
    #expect(try restarted.explain(id: device.token).pushes.map(\.apnsID) == [push.apnsID])
  }

  @Test("Of a token that is known and of one that is not it is said what to do next")
  func nothing() throws {
    let development = try DevelopmentGateway(bundleIDs: [app])
    defer { development.stop() }
    let client = try TestClient(development)
    defer { client.close() }
    let device = try TestDevice(client)
    try device.register(app, kinds: ["caffeine"])
    func detail(_ id: String) -> String? {
      do throws(AdminFailure) {
        _ = try development.gateway.explain(id: id)
        return nil
      } catch {
        return error.detail
      }
    }
    #expect(detail("00ff")?.hasPrefix("no device has registered this token") == true)
    #expect(detail("00ff")?.contains("gatewayctl registrations") == true)
    #expect(detail(device.token)?.hasPrefix("\(app) has this token in development, and no push") == true)
    #expect(detail("00000000-0000-0000-0000-000000000000")?.contains("never arrived here") == true)
    #expect(detail("what?")?.hasPrefix("give an apns-id") == true)
  }

  @Test("Developer mode is refused with words: forbidden, too long, unknown, or for production only")
  func refusedGrants() throws {
    let development = try DevelopmentGateway(bundleIDs: [app])
    defer { development.stop() }
    let client = try TestClient(development)
    defer { client.close() }
    let device = try TestDevice(client)
    let live = "com.example.caffeine"
    func refusal(_ request: DeveloperModeRequest) -> AdminFailure? {
      do throws(AdminFailure) {
        _ = try development.gateway.grantDeveloperMode(request, peerUID: nil)
        return nil
      } catch {
        return error
      }
    }
    let unknown = refusal(DeveloperModeRequest(app: "com.example.cafeine", seconds: 5, who: "a", why: "b"))
    #expect(unknown?.status == 404)
    #expect(unknown?.detail.contains("no device has registered app com.example.cafeine") == true)
    try device.register(live, kinds: ["caffeine"], environment: "production")
    let production = refusal(DeveloperModeRequest(app: live, seconds: 5, who: "a", why: "b"))
    #expect(production?.status == 403)
    #expect(production?.detail.contains("production only") == true)
    try device.register(live, kinds: ["caffeine"])
    #expect(refusal(DeveloperModeRequest(app: live, seconds: 5, who: "a", why: "b")) == nil)
    #expect(refusal(DeveloperModeRequest(app: live, seconds: 9 * 3600, who: "a", why: "b"))?.status == 422)

    var changed = development.configuration
    changed.developerMode.allowed = false
    try development.gateway.reload(changed)
    let forbidden = refusal(DeveloperModeRequest(app: live, seconds: 5, who: "a", why: "b"))
    #expect(forbidden?.status == 403)
    #expect(forbidden?.detail.contains("developer-mode.allowed") == true)
  }
}
