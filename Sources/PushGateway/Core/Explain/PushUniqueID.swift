package import TokenStore

/// `apns-unique-id`: names one answered push of this gateway, also where two pushes had the same `apns-id`.
///
/// Made of epoch and push number, so that `explain` finds the push by it without an index. A UUID of version 8
/// (RFC 9562 §5.8): 48 bits of the epoch, then the number.
package struct PushUniqueID: Hashable, Sendable {
  package let epoch: UInt64
  package let number: UInt64

  package init(epoch: UInt64, number: UInt64) {
    self.epoch = epoch & 0xFFFF_FFFF_FFFF
    self.number = number
  }

  /// - Returns: nil for a UUID that no gateway has made.
  package init?(_ uuid: CanonicalUUID) {
    guard uuid.high & 0xF000 == 0x8000, uuid.low >> 62 == 0b10 else { return nil }
    epoch = uuid.high >> 16
    let (top, rest) = (uuid.high & 0xFFF, uuid.low & 0x3FFF_FFFF_FFFF_FFFF)
    guard top < 4 else { return nil }
    number = top << 62 | rest
  }

  package var uuid: CanonicalUUID {
    CanonicalUUID(high: epoch << 16 | 0x8000 | number >> 62, low: 1 << 63 | (number & 0x3FFF_FFFF_FFFF_FFFF))
  }
}
