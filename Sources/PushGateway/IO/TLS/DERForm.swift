/// The few forms of DER (X.690) that a provider's certificate has in its own extensions.
package enum DERForm {
  package static let null: [UInt8] = [0x05, 0x00]

  package static func utf8(_ text: String) -> [UInt8] { element(0x0C, Array(text.utf8)) }

  package static func sequence(_ elements: [UInt8]) -> [UInt8] { element(0x30, elements) }

  /// At most 65 535 bytes of content.
  private static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
    let count = UInt16(clamping: content.count)
    let (high, low) = (UInt8(count >> 8), UInt8(count & 0xFF))
    switch count {
    case ..<0x80: return [tag, low] + content
    case ..<0x100: return [tag, 0x81, low] + content
    default: return [tag, 0x82, high, low] + content
    }
  }
}
