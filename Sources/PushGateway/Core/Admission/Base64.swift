/// Base64 as it arrives in provider tokens: base64url without padding from most libraries, the standard alphabet with
/// padding from dotAPNS and a2 (apns-contract §4.2).
package enum Base64 {
  /// - Returns: nil when `text` is neither: a foreign character, a length that cannot be, padding that is not exactly
  ///   what the length asks, or bits left over.
  package static func decode(_ text: UnsafeRawBufferPointer) -> [UInt8]? {
    var digits = text.count
    while digits > 0, text.count - digits < 2, text[digits - 1] == 0x3D { digits -= 1 }
    if digits < text.count, !text.count.isMultiple(of: 4) { return nil }
    let leftover = digits % 4
    if leftover == 1 || (digits < text.count && leftover + text.count - digits != 4) { return nil }

    var bytes: [UInt8] = []
    bytes.reserveCapacity(digits * 3 / 4)
    var bits: UInt32 = 0
    var pending = 0
    for index in 0..<digits {
      guard let digit = value(of: text[index]) else { return nil }
      bits = bits << 6 | UInt32(digit)
      pending += 6
      if pending >= 8 {
        pending -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(pending)))
      }
    }
    guard bits & (1 << UInt32(pending) - 1) == 0 else { return nil }
    return bytes
  }

  private static func value(of digit: UInt8) -> UInt8? {
    switch digit {
    case 0x41...0x5A: digit - 0x41
    case 0x61...0x7A: digit - 0x61 + 26
    case 0x30...0x39: digit - 0x30 + 52
    case 0x2B, 0x2D: 62
    case 0x2F, 0x5F: 63
    default: nil
    }
  }
}
