import GatewayCore
import GatewayIO
import GatewayReports
import GatewayTestKit
import HTTPMessage
import PushGateway
import Testing

private let app = "com.example.caffeine"

/// Protects: fan-outs over the wire, from the request to the devices, and over a restart.
@Suite("A fan-out over real sockets", .serialized) struct FanOutExchangeTests {
  /// One provider with one JWT, as there should be.
  private struct Provider {
    let client: TestClient
    let connection: ClientConnection
    let authorization: (name: String, value: String)

    init(_ client: TestClient) throws {
      self.client = client
      connection = try client.connectProvider()
      let push = try client.push(to: "00", app: app)
      authorization = try #require(push.fields.first { $0.name == "authorization" })
    }

    func request(
      _ method: ClientRequest.Method, _ path: String, id: String? = nil, body: String = ""
    ) -> ClientRequest {
      let fields = [authorization] + (id.map { [(name: "apns-id", value: $0)] } ?? [])
      return ClientRequest(method, path, fields: fields, body: Array(body.utf8))
    }

    func send(_ request: ClientRequest) throws -> ClientResponse { try client.exchange(request, on: connection) }
  }

  @Test("One request refreshes every device, is the same when repeated, and can be watched to its end")
  func reachesEverybody() throws {
    let development = try DevelopmentGateway(bundleIDs: [app])
    defer { development.stop() }
    let client = try TestClient(development)
    defer { client.close() }
    let devices = try (0..<3).map { _ in try TestDevice(client) }
    for device in devices { try device.register(app, kinds: ["cups", "beans"]) }
    for device in devices.dropLast() { try device.openStream() }

    let provider = try Provider(client)
    let id = "0a1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d"
    let begin = provider.request(.post, "/v1/apps/\(app)/fan-outs", id: id, body: #"{"kinds":["cups"]}"#)
    let answer = try provider.send(begin)
    #expect(answer.status == 202)
    #expect(answer.headers.text(of: .apnsID) == id)
    let location = try #require(answer.headers.text(of: .location))
    #expect(location.hasPrefix("/v1/fan-outs/"))

    let events = try provider.send(provider.request(.get, location + "/events"))
    #expect(events.headers.text(of: .contentType) == "text/event-stream")
    let text = String(decoding: events.body, as: UTF8.self)
    #expect(text.contains("event: done\ndata: {"))
    for device in devices.dropLast() {
      try device.wait(forEvents: 1)
      #expect(device.events[0].kinds == ["cups"])
      #expect(device.events[0].apnsID == id)
      try device.acknowledge(device.events[0])
    }
    let report = try provider.send(provider.request(.get, location))
    let body = String(decoding: report.body, as: UTF8.self)
    #expect(body.contains(#""matched":3,"marked":3,"skipped":0,"sent":2,"received":2,"deferred":1,"dropped":0"#))

    let again = try provider.send(begin)
    #expect(again.status == 202)
    #expect(again.headers.text(of: .location) == location)
    let cancelled = try provider.send(provider.request(.delete, location))
    #expect(cancelled.status == 200)
    #expect(String(decoding: cancelled.body, as: UTF8.self).contains(#""state":"done""#))
  }

  @Test("What is wrong gets a push's reasons, and the connection goes on")
  func refusals() throws {
    let development = try DevelopmentGateway(bundleIDs: [app])
    defer { development.stop() }
    let client = try TestClient(development)
    defer { client.close() }
    let provider = try Provider(client)
    let unknown = "/v1/fan-outs/0a1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d"
    let long = #"{"kinds":[""# + String(repeating: "x", count: 20_000) + #""]}"#
    let cases: [(ClientRequest, Int, String)] = [
      (provider.request(.get, unknown), 404, "BadPath"),
      (provider.request(.delete, unknown), 404, "BadPath"),
      (provider.request(.get, unknown + "/events"), 404, "BadPath"),
      (provider.request(.put, unknown), 405, "MethodNotAllowed"),
      (provider.request(.post, "/v1/apps/com.example.other/fan-outs", body: "{}"), 400, "TopicDisallowed"),
      (provider.request(.post, "/v1/apps/\(app)/fan-outs"), 400, "PayloadEmpty"),
      (provider.request(.post, "/v1/apps/\(app)/fan-outs", id: "7", body: "{}"), 400, "BadMessageId"),
      (provider.request(.post, "/v1/apps/\(app)/fan-outs", body: long), 413, "PayloadTooLarge"),
      (ClientRequest(.post, "/v1/apps/\(app)/fan-outs", body: Array("{}".utf8)), 403, "MissingProviderToken"),
      (ClientRequest(.get, unknown), 403, "MissingProviderToken"),
    ]
    for (request, status, reason) in cases {
      let answer = try provider.send(request)
      #expect(answer.status == status, "\(request.path)")
      #expect(String(decoding: answer.body, as: UTF8.self).contains(#"{"reason":"\#(reason)""#), "\(request.path)")
    }
    let oversized = try provider.send(provider.request(.post, "/v1/apps/\(app)/fan-outs", body: long))
    #expect(String(decoding: oversized.body, as: UTF8.self).contains("16384 bytes"))
    #expect(try provider.send(provider.request(.post, "/v1/apps/\(app)/fan-outs", body: "{}")).status == 202)
    #expect(try development.gateway.explainNewest(10, refusedOnly: true).pushes.isEmpty)
  }
}
