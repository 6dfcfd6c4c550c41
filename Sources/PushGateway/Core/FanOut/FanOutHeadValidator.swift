package import BudgetThrottle
package import HTTPMessage
package import TokenStore

/// Judges the header block of a fan-out: as a push's, in the same order and with the same reasons, but that the path
/// names the app. `apns-topic` and `apns-push-type` may be absent; where they are there they must say the same.
package struct FanOutHeadValidator: Sendable {
  package struct Head: Equatable, Sendable {
    /// As the client sent it; nil means that the gateway has to make one.
    package var id: PushID?
    package var expiration: PushExpiration
    package var priority: RefreshPriority
  }

  package init() {}

  package func validate(
    _ header: borrowing HeaderBlock, bundleID: BundleID, topics: inout TopicTable,
    credential: () throws(Refusal) -> TopicGrant
  ) throws(Refusal) -> Head {
    let grant = try credential()
    try PushHeadValidator.refuseRepetition(in: header)
    let head = Head(
      id: try PushHeadValidator.id(in: header), expiration: try PushHeadValidator.expiration(in: header),
      priority: try PushHeadValidator.priority(in: header))
    _ = try PushHeadValidator.hasCollapseID(in: header)
    let type = try PushHeadValidator.type(in: header)
    if header.contains(.apnsTopic) {
      guard try PushHeadValidator.topic(in: header, topics: &topics) == bundleID else {
        throw Refusal(.badTopic, "apns-topic is of another app than the path; a fan-out can do without it.")
      }
    }
    guard grant.allows(bundleID) else {
      throw Refusal(.topicDisallowed, PushHeadValidator.disallowed(by: grant.origin))
    }
    guard type == nil || type == .widgets else {
      throw Refusal(.invalidPushType, "A fan-out is of push type widgets, and can do without apns-push-type.")
    }
    return head
  }
}
