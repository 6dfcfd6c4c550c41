import Foundation
import GatewayIO
import GatewayReports
import PushGateway

/// A device of a test: enrols, registers, holds its stream and sends receipts when it is told to.
package final class TestDevice {
  package struct Event: Equatable {
    package var id: String
    package var apnsID: String
    package var kinds: [String]
  }

  private let client: TestClient
  private let connection: ClientConnection
  package private(set) var id = ""
  private var key = ""
  package private(set) var token = ""
  /// What arrived on the stream, in order.
  package private(set) var events: [Event] = []
  private var text = ""
  package private(set) var isStreaming = false

  package init(_ client: TestClient) throws {
    self.client = client
    connection = try client.connectDevice()
    let answer = try exchange(
      .post, "/v1/devices", key: client.development.enrolmentKey, ["platform": "iOS", "os": "26"])
    id = answer["device"] as? String ?? ""
    key = answer["key"] as? String ?? ""
  }

  package func register(_ app: String, kinds: [String], environment: String = "development") throws {
    let answer = try exchange(
      .put, "/v1/devices/\(id)/apps/\(app)", key: key,
      ["environment": environment, "widgets": kinds.map { ["kind": $0, "family": "systemSmall"] }])
    token = answer["token"] as? String ?? ""
  }

  package func openStream() throws {
    let request = ClientRequest(
      .get, "/v1/devices/\(id)/updates", fields: [(name: "authorization", value: "Bearer " + key)])
    isStreaming = true
    connection.send(request, receiving: { [weak self] part in self?.received(part) }) { [weak self] _ in
      self?.isStreaming = false
    }
    // The stream is open once the gateway counts it.
    try client.wait(for: "the update stream") { try client.development.gateway.status().connectedDevices > 0 }
  }

  package func wait(forEvents count: Int) throws {
    try client.wait(for: "\(count) events") { events.count >= count }
  }

  package func acknowledge(_ event: Event) throws {
    _ = try exchange(.post, "/v1/devices/\(id)/receipts", key: key, ["upTo": event.id])
  }

  private func received(_ part: ClientResponsePart) {
    guard case .data(let bytes) = part else { return }
    text += String(decoding: bytes, as: UTF8.self)
    while let end = text.range(of: "\n\n") {
      parse(String(text[..<end.lowerBound]))
      text.removeSubrange(..<end.upperBound)
    }
  }

  private func parse(_ event: String) {
    var fields: [String: String] = [:]
    for line in event.split(separator: "\n") {
      let parts = line.split(separator: ":", maxSplits: 1)
      if parts.count == 2 { fields[String(parts[0])] = parts[1].trimmingCharacters(in: .whitespaces) }
    }
    guard let id = fields["id"], let data = fields["data"],
      let object = try? JSONSerialization.jsonObject(with: Data(data.utf8)) as? [String: Any]
    else { return }
    let widgets = object["widgets"] as? [[String: Any]] ?? []
    events.append(
      Event(id: id, apnsID: object["apns-id"] as? String ?? "", kinds: widgets.compactMap { $0["kind"] as? String }))
  }

  private func exchange(
    _ method: ClientRequest.Method, _ path: String, key: String, _ body: [String: Any]
  ) throws -> [String: Any] {
    let request = ClientRequest(
      method, path, fields: [(name: "authorization", value: "Bearer " + key)],
      body: Array(try JSONSerialization.data(withJSONObject: body)))
    let response = try client.exchange(request, on: connection)
    guard (200..<300).contains(response.status) else {
      throw TestClient.TimedOut(what: "\(path): \(response.status) \(String(decoding: response.body, as: UTF8.self))")
    }
    return try JSONSerialization.jsonObject(with: Data(response.body.isEmpty ? Array("{}".utf8) : response.body))
      as? [String: Any] ?? [:]
  }
}
