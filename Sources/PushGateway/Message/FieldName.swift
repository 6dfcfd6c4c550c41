/// The field names that this gateway reads, pseudo-headers included.
///
/// A name is recognised once, when it arrives, by its length and its bytes; from then on a field is a small number.
/// Names that are not here are counted (they weigh against the header-list limit) and otherwise ignored.
package enum FieldName: UInt8, CaseIterable, Sendable {
  case method, scheme, authority, path, status
  case host, authorization, contentType, contentLength, location, lastEventID, retryAfter
  case apnsID, apnsExpiration, apnsPriority, apnsTopic, apnsPushType, apnsCollapseID, apnsUniqueID
  case gatewayRefresh

  /// The name as it stands on the wire: lower case (RFC 9113 §8.2).
  package var text: StaticString {
    switch self {
    case .method: ":method"
    case .scheme: ":scheme"
    case .authority: ":authority"
    case .path: ":path"
    case .status: ":status"
    case .host: "host"
    case .authorization: "authorization"
    case .contentType: "content-type"
    case .contentLength: "content-length"
    case .location: "location"
    case .lastEventID: "last-event-id"
    case .retryAfter: "retry-after"
    case .apnsID: "apns-id"
    case .apnsExpiration: "apns-expiration"
    case .apnsPriority: "apns-priority"
    case .apnsTopic: "apns-topic"
    case .apnsPushType: "apns-push-type"
    case .apnsCollapseID: "apns-collapse-id"
    case .apnsUniqueID: "apns-unique-id"
    case .gatewayRefresh: "gateway-refresh"
    }
  }

  /// Recognises a name by length first, so that at most three comparisons are made.
  package init?(_ bytes: UnsafeRawBufferPointer) {
    let candidates: [FieldName]
    switch bytes.count {
    case 4: candidates = Self.length4
    case 5: candidates = Self.length5
    case 7: candidates = Self.length7
    case 8: candidates = Self.length8
    case 10: candidates = Self.length10
    case 11: candidates = Self.length11
    case 12: candidates = Self.length12
    case 13: candidates = Self.length13
    case 14: candidates = Self.length14
    case 15: candidates = Self.length15
    case 16: candidates = Self.length16
    default: return nil
    }
    for candidate in candidates where candidate.matches(bytes) {
      self = candidate
      return
    }
    return nil
  }

  private func matches(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let name = text
    guard name.utf8CodeUnitCount == bytes.count else { return false }
    for index in 0..<bytes.count where bytes[index] != name.utf8Start[index] { return false }
    return true
  }

  private static let length4: [FieldName] = [.host]
  private static let length5: [FieldName] = [.path]
  private static let length7: [FieldName] = [.apnsID, .method, .status, .scheme]
  private static let length8: [FieldName] = [.location]
  private static let length10: [FieldName] = [.apnsTopic, .authority]
  private static let length11: [FieldName] = [.retryAfter]
  private static let length12: [FieldName] = [.contentType]
  private static let length13: [FieldName] = [.authorization, .apnsPriority, .lastEventID]
  private static let length14: [FieldName] = [.apnsPushType, .contentLength, .apnsUniqueID]
  private static let length15: [FieldName] = [.apnsExpiration, .gatewayRefresh]
  private static let length16: [FieldName] = [.apnsCollapseID]
}
