package import HTTPMessage

/// The key that a request bears: `authorization: Bearer <key>` (RFC 6750 §2.1).
package enum BearerCredential {
  /// Longer ones are nobody's key.
  package static let maximumCount = 512

  /// - Returns: the key's bytes. It is only a text until somebody compares it.
  package static func extract(from fields: borrowing HeaderBlock) throws(DeviceRefusal) -> Secret<[UInt8]> {
    guard let value = fields.value(of: .authorization) else { throw DeviceRefusal(.missingCredential) }
    guard !fields.isRepeated(.authorization) else {
      throw DeviceRefusal(.badCredential, "authorization comes more than once")
    }
    return try extract(from: value)
  }

  /// - Parameter field: the value of `authorization`. The scheme's case does not matter (RFC 9110 §11.1).
  package static func extract(from field: [UInt8]) throws(DeviceRefusal) -> Secret<[UInt8]> {
    let scheme = Array("bearer ".utf8)
    guard field.count >= scheme.count,
      zip(field, scheme).allSatisfy({ $0 == $1 || (0x41...0x5A).contains($0) && $0 | 0x20 == $1 })
    else { throw DeviceRefusal(.missingCredential, "authorization is there, and its scheme is not Bearer") }
    let key = field.dropFirst(scheme.count).drop { $0 == 0x20 }
    guard (1...maximumCount).contains(key.count), key.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw DeviceRefusal(.badCredential)
    }
    return Secret(Array(key))
  }
}
