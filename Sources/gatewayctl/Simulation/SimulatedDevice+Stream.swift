import FoundationEssentials
import GatewayIO
import HTTPMessage

/// The update stream, its receipts, and what answers mean.
extension SimulatedDevice {
  func openStream() {
    var fields = [(name: "authorization", value: "Bearer " + (key ?? ""))]
    if let lastID { fields.append((name: "last-event-id", value: "\(lastID)")) }
    reader = EventStreamReader()
    receipts.reset()
    send(
      ClientRequest(.get, path("updates"), fields: fields),
      receiving: { [weak self] part in self?.received(part) },
      completion: { [weak self] result in
        guard let self, state == .streaming || state == .joining else { return }
        if case .success(let response) = result, response.status != 200 {
          refused(response, doing: "open the stream")
        } else {
          broke("the gateway ended the stream")
        }
      })
  }

  private func received(_ part: ClientResponsePart) {
    lastHeard = loop.now.bootMilliseconds
    switch part {
    case .head(let response):
      guard response.status == 200 else { return }
      state = .streaming
      if let lastID { _ = confirmed.insert(lastID) }
      schedule(.silence, after: plan.silence)
      saySituation { [self] in becameReady() }
    case .data(let bytes):
      guard state == .streaming else { return }
      for event in reader.feed(bytes) where event.name == "refresh" { refresh(event) }
      if reader.isBroken { broke("a line of the stream is too long") }
      sendReceipt()
    }
  }

  private func refresh(_ event: EventStreamReader.Event) {
    guard let id = RefreshID(event.id),
      let refresh = try? JSONDecoder().decode(Refresh.self, from: Data(event.data.utf8))
    else { return broke("an event of the stream is not as documented") }
    if seen.insert(id) {
      reload(refresh)
      simulation.refreshed(self, refresh, id: id)
    } else {
      simulation.sawDuplicate(self, isExplained: !confirmed.contains(id))
    }
    let share = role.profile.losesReceipts
    if share > 0, Double(random.next() >> 11) * 0x1p-53 < share {
      // Neither now nor with the next stream.
      simulation.lostReceipt(self)
    } else {
      lastID = id
      receipts.add(id)
    }
  }

  private func sendReceipt() {
    guard state == .streaming, let id = receipts.next() else { return }
    send(.post, path("receipts"), key: key ?? "", body: ["upTo": id.description]) { [self] response in
      receipts.sent()
      if response.status == 204 { _ = confirmed.insert(id) }
      // The gateway's store was restored from an older copy: that id will come again for something else.
      if response.status == 422 { lastID = nil }
      sendReceipt()
    }
  }

  /// A slow reader may not see a heartbeat for hours; that its connection has died, TCP and PING tell.
  func checkSilence() {
    let quiet = loop.now.bootMilliseconds - lastHeard
    if quiet < plan.silence {
      schedule(.silence, after: plan.silence - quiet)
    } else if role.profile.bytesPerSecond != nil {
      schedule(.silence, after: plan.silence)
    } else {
      broke("nothing came for \(quiet / 1000) s")
    }
  }

  /// It ends with the stream, so it is said on each (docs/devices.md, 5).
  func saySituation(then: @escaping () -> Void) {
    struct Situation: Encodable {
      var foreground: String?
      var asleep: Bool?
      var developerMode: Bool?
    }
    let sleeps = role.profile.awake != nil
    guard plan.isInForeground || plan.switchesDeveloperModeOn || sleeps else { return then() }
    let body = Situation(
      foreground: plan.isInForeground ? plan.bundleID : nil, asleep: sleeps ? isAsleep : nil,
      developerMode: plan.switchesDeveloperModeOn ? true : nil)
    send(.put, path("state"), key: key ?? "", body: body) { [self] response in
      guard response.status == 200 else { return refused(response, doing: "say its state") }
      then()
    }
  }

  func decoded<Answer: Decodable>(_ response: ClientResponse, status: Int, doing: String) -> Answer? {
    if response.status == status, let answer = try? JSONDecoder().decode(Answer.self, from: Data(response.body)) {
      return answer
    }
    refused(response, doing: doing)
    return nil
  }

  /// Refusals of the moment are tried again; others would come again too.
  func refused(_ response: ClientResponse, doing: String) {
    struct Refusal: Decodable { let detail: String }
    let detail = try? JSONDecoder().decode(Refusal.self, from: Data(response.body)).detail
    let text = "cannot \(doing): \(response.status)" + (detail.map { " " + $0 } ?? "")
    switch response.status {
    case 429, 500...599:
      if let seconds = response.headers.text(of: .retryAfter).flatMap({ Int64($0) }) {
        let wait = min(seconds, 3600) * 1000
        pause = max(pause, wait * 2)
        // Enrolments are limited for all devices with this key together.
        if id == nil { simulation.holdBack(for: wait) }
      }
      broke(text)
    case 401 where id != nil && state != .leaving:
      forgetIdentity()
      broke(text)
    default: giveUp(text)
    }
  }
}
