/// A bundle ID, or a family of them: `com.example.caffeine`, `com.example.*`, `*`.
public struct BundlePattern: Hashable, Sendable, CustomStringConvertible {
  public let description: String
  private let prefix: String?

  /// - Returns: nil unless `text` is a bundle ID (letters, digits, `-` and `.`), or one that ends in `.*`, or `*`.
  public init?(_ text: String) {
    let stem: String
    if text == "*" {
      stem = ""
    } else if text.hasSuffix(".*") {
      stem = String(text.dropLast(1))
      guard BundleID(String(text.dropLast(2))) != nil else { return nil }
    } else {
      guard BundleID(text) != nil else { return nil }
      prefix = nil
      description = text
      return
    }
    prefix = stem
    description = text
  }

  public func matches(_ bundleID: BundleID) -> Bool {
    guard let prefix else { return bundleID.description == description }
    return bundleID.description.hasPrefix(prefix)
  }
}
