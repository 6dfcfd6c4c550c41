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
  @inline(__always)
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
    switch bytes.count {
    case 4: self.init(.host, spelled: bytes)
    case 5: self.init(.path, spelled: bytes)
    case 7:
      switch bytes[2] {
      case UInt8(ascii: "n"): self.init(.apnsID, spelled: bytes)
      case UInt8(ascii: "e"): self.init(.method, spelled: bytes)
      case UInt8(ascii: "t"): self.init(.status, spelled: bytes)
      default: self.init(.scheme, spelled: bytes)
      }
    case 8: self.init(.location, spelled: bytes)
    case 10:
      if bytes[0] == UInt8(ascii: ":") {
        self.init(.authority, spelled: bytes)
      } else {
        self.init(.apnsTopic, spelled: bytes)
      }
    case 11: self.init(.retryAfter, spelled: bytes)
    case 12: self.init(.contentType, spelled: bytes)
    case 13:
      switch bytes[1] {
      case UInt8(ascii: "u"): self.init(.authorization, spelled: bytes)
      case UInt8(ascii: "p"): self.init(.apnsPriority, spelled: bytes)
      default: self.init(.lastEventID, spelled: bytes)
      }
    case 14:
      switch bytes[5] {
      case UInt8(ascii: "p"): self.init(.apnsPushType, spelled: bytes)
      case UInt8(ascii: "u"): self.init(.apnsUniqueID, spelled: bytes)
      default: self.init(.contentLength, spelled: bytes)
      }
    case 15:
      if bytes[0] == UInt8(ascii: "g") {
        self.init(.gatewayRefresh, spelled: bytes)
      } else {
        self.init(.apnsExpiration, spelled: bytes)
      }
    case 16: self.init(.apnsCollapseID, spelled: bytes)
    default: return nil
    }
  }

  /// The candidate, if `bytes` are its name. Two overlapping words cover every name that is known: 4 to 16 bytes.
  /// Inlined, since both words of a name known beforehand are constants in the code, and no name is read from memory.
  @inline(__always)
  private init?(_ candidate: FieldName, spelled bytes: UnsafeRawBufferPointer) {
    let name = UnsafeRawBufferPointer(start: candidate.text.utf8Start, count: candidate.text.utf8CodeUnitCount)
    guard name.count == bytes.count else { return nil }
    let isSame: Bool
    if bytes.count >= 8 {
      let tail = bytes.count - 8
      isSame =
        bytes.loadUnaligned(as: UInt64.self) == name.loadUnaligned(as: UInt64.self)
        && bytes.loadUnaligned(fromByteOffset: tail, as: UInt64.self)
          == name.loadUnaligned(fromByteOffset: tail, as: UInt64.self)
    } else {
      let tail = bytes.count - 4
      isSame =
        bytes.loadUnaligned(as: UInt32.self) == name.loadUnaligned(as: UInt32.self)
        && bytes.loadUnaligned(fromByteOffset: tail, as: UInt32.self)
          == name.loadUnaligned(fromByteOffset: tail, as: UInt32.self)
    }
    guard isSame else { return nil }
    self = candidate
  }
}
