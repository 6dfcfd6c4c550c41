import BudgetThrottle
package import HTTPMessage
import TokenStore

/// Judges the header block of a push: the checks from the method to the push type against the topic, in the order of
/// design §5. The first failure is the answer.
///
/// An accepted head allocates nothing (a token of more than 32 bytes and a topic new to the loop excepted).
package struct PushHeadValidator: Sendable {
  package static let maximumCollapseIDBytes = 64

  private let acceptsGeneralTypes: Bool

  package init(checks: GatewayConfiguration.Checks) {
    acceptsGeneralTypes = checks.pushType == .lenient
  }

  /// - Parameters:
  ///   - topics: the loop's own table.
  ///   - credential: the two steps that need the connection and the keys, called at their place: provider credential,
  ///     then provider-token rate (see ``ProviderSession``). Gives what the provider may send to.
  package func validate(
    _ header: borrowing HeaderBlock, topics: inout TopicTable, credential: () throws(Refusal) -> TopicGrant
  ) throws(Refusal) -> PushHead {
    guard header.reading(.method, { $0.equals("POST") }) == true else {
      throw Refusal(.methodNotAllowed, "A push is a POST; send no other method.")
    }
    guard let path = header.reading(.path, { PushPath($0) }) ?? nil else {
      throw Refusal(.badPath, "A push is posted to /3/device/<device token as hex>, with nothing after it.")
    }
    let grant = try credential()
    try Self.refuseRepetition(in: header)

    let id = try Self.id(in: header)
    let expiration = try Self.expiration(in: header)
    let priority = try Self.priority(in: header)
    let hasCollapseID = try Self.hasCollapseID(in: header)
    let type = try Self.type(in: header)
    let bundleID = try Self.topic(in: header, topics: &topics, standard: grant.standard)
    guard grant.allows(bundleID) else {
      throw Refusal(.topicDisallowed, Self.disallowed(by: grant.origin))
    }
    guard type == .widgets || (acceptsGeneralTypes && Self.isGeneral(type)) else {
      throw Refusal(.invalidPushType, Self.mismatch(of: type))
    }
    return PushHead(
      id: id, expiration: expiration, priority: priority, hasCollapseID: hasCollapseID, type: type,
      bundleID: bundleID, path: path)
  }
}

extension PushHeadValidator {
  private static let namesOfSingleFields: [FieldName] = [
    .authorization, .apnsID, .apnsExpiration, .apnsPriority, .apnsCollapseID, .apnsPushType, .apnsTopic,
  ]
  private static let singleFields = namesOfSingleFields.reduce(0) { $0 | HeaderBlock.bit(of: $1) }

  static func refuseRepetition(in header: borrowing HeaderBlock) throws(Refusal) {
    if header.isAnyRepeated(of: singleFields) { throw repetition(in: header) }
  }

  private static func repetition(in header: borrowing HeaderBlock) -> Refusal {
    let name = namesOfSingleFields.first { header.isRepeated($0) }
    return Refusal(.duplicateHeaders, name.map { "\($0.text) came more than once; send it once." })
  }

  static func id(in header: borrowing HeaderBlock) throws(Refusal) -> PushID? {
    guard let uuid = header.reading(.apnsID, { CanonicalUUID($0) }) else { return nil }
    guard let uuid else {
      throw Refusal(.badMessageID, "apns-id must be a UUID: hex digits in groups of 8-4-4-4-12.")
    }
    return PushID(uuid)
  }

  static func expiration(in header: borrowing HeaderBlock) throws(Refusal) -> PushExpiration {
    let read = header.reading(.apnsExpiration) { text in
      Result { () throws(PushExpiration.Fault) in try PushExpiration(text) }
    }
    switch read {
    case nil: return .none
    case .success(let expiration): return expiration
    case .failure(let fault): throw Refusal(.badExpirationDate, fault.detail)
    }
  }

  static func priority(in header: borrowing HeaderBlock) throws(Refusal) -> RefreshPriority {
    guard let priority = header.reading(.apnsPriority, { RefreshPriority($0) }) else { return .immediate }
    guard let priority else {
      throw Refusal(.badPriority, "apns-priority must be 1, 5 or 10; send one of them, or leave it out for 10.")
    }
    return priority
  }

  static func hasCollapseID(in header: borrowing HeaderBlock) throws(Refusal) -> Bool {
    guard let count = header.reading(.apnsCollapseID, { $0.count }) else { return false }
    guard count <= maximumCollapseIDBytes else {
      throw Refusal(.badCollapseID, "apns-collapse-id has \(count) bytes; 64 are allowed.")
    }
    return true
  }

  static func type(in header: borrowing HeaderBlock) throws(Refusal) -> PushType? {
    guard let type = header.reading(.apnsPushType, { PushType($0) }) else { return nil }
    guard let type else {
      throw Refusal(.invalidPushType, "apns-push-type is not one of Apple's types; send widgets, in lower case.")
    }
    return type
  }

  static func topic(
    in header: borrowing HeaderBlock, topics: inout TopicTable, standard: BundleID? = nil
  ) throws(Refusal) -> BundleID {
    let read: Result<BundleID, WidgetTopic.Fault>?? = header.reading(.apnsTopic) { text in
      text.isEmpty ? nil : Result { () throws(WidgetTopic.Fault) in try topics.bundleID(of: text) }
    }
    switch read ?? nil {
    case nil:
      if let standard { return standard }
      throw Refusal(.missingTopic, "apns-topic is absent; send <bundle ID>.push-type.widgets.")
    case .success(let bundleID): return bundleID
    case .failure(let fault): throw Refusal(.badTopic, fault.detail)
    }
  }

  static func disallowed(by origin: TopicGrant.Origin) -> String {
    switch origin {
    case .key: "This provider key may not send to this topic; see its topics in the gateway."
    case .certificate: "The client certificate may not send to this topic; it lists neither it nor its bundle ID."
    }
  }

  /// What client libraries without `widgets` send with a widgets topic (apns-contract §0, fact 8).
  private static func isGeneral(_ type: PushType?) -> Bool { type == nil || type == .alert || type == .background }

  private static func mismatch(of type: PushType?) -> String {
    guard let type else { return "apns-push-type is absent; a topic ending in .push-type.widgets needs widgets." }
    return "apns-push-type is \(type.rawValue); a topic ending in .push-type.widgets needs widgets."
  }
}
