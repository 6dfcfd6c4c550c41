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

  /// Recognises a name. Its length and one byte leave a single candidate, so a name is compared at most once: this
  /// runs for every field of every request.
  package init?(_ bytes: UnsafeRawBufferPointer) {
    let candidate: FieldName
    switch bytes.count {
    case 4: candidate = .host
    case 5: candidate = .path
    case 7:
      switch bytes[2] {
      case UInt8(ascii: "n"): candidate = .apnsID
      case UInt8(ascii: "e"): candidate = .method
      case UInt8(ascii: "t"): candidate = .status
      default: candidate = .scheme
      }
    case 8: candidate = .location
    case 10: candidate = bytes[0] == UInt8(ascii: ":") ? .authority : .apnsTopic
    case 11: candidate = .retryAfter
    case 12: candidate = .contentType
    case 13:
      switch bytes[1] {
      case UInt8(ascii: "u"): candidate = .authorization
      case UInt8(ascii: "p"): candidate = .apnsPriority
      default: candidate = .lastEventID
      }
    case 14:
      switch bytes[5] {
      case UInt8(ascii: "p"): candidate = .apnsPushType
      case UInt8(ascii: "u"): candidate = .apnsUniqueID
      default: candidate = .contentLength
      }
    case 15: candidate = bytes[0] == UInt8(ascii: "g") ? .gatewayRefresh : .apnsExpiration
    case 16: candidate = .apnsCollapseID
    default: return nil
    }
    guard candidate.matches(bytes) else { return nil }
    self = candidate
  }

  /// Compares two overlapping words, which cover every name that is known: 4 to 16 bytes.
  private func matches(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let name = UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    guard name.count == bytes.count else { return false }
    if bytes.count >= 8 {
      let tail = bytes.count - 8
      return bytes.loadUnaligned(as: UInt64.self) == name.loadUnaligned(as: UInt64.self)
        && bytes.loadUnaligned(fromByteOffset: tail, as: UInt64.self)
          == name.loadUnaligned(fromByteOffset: tail, as: UInt64.self)
    }
    let tail = bytes.count - 4
    return bytes.loadUnaligned(as: UInt32.self) == name.loadUnaligned(as: UInt32.self)
      && bytes.loadUnaligned(fromByteOffset: tail, as: UInt32.self)
        == name.loadUnaligned(fromByteOffset: tail, as: UInt32.self)
  }
}
