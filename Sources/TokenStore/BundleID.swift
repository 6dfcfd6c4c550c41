/// An app's bundle ID: 1 to 155 characters of letters, digits, `-` and `.`, no empty component
/// (Apple: CFBundleIdentifier).
public struct BundleID: Hashable, Sendable, CustomStringConvertible {
  public static let maximumCount = 155
  public let description: String

  public init?(_ text: String) {
    guard (1...Self.maximumCount).contains(text.utf8.count) else { return nil }
    var componentIsEmpty = true
    for byte in text.utf8 {
      switch byte {
      case 0x2E:
        guard !componentIsEmpty else { return nil }
        componentIsEmpty = true
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D:
        componentIsEmpty = false
      default:
        return nil
      }
    }
    guard !componentIsEmpty else { return nil }
    description = text
  }
}
