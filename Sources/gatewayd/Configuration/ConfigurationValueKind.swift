import BudgetThrottle
import GatewayCore
import TokenStore

/// What may stand behind a key.
package enum ConfigurationValueKind: Sendable {
  case wholeNumber(ClosedRange<Int>)
  case boolean
  /// Bounds in milliseconds.
  case duration(ClosedRange<Int64>)
  case choice([String])
  case choices([String])
  /// `orNone`: an empty text means "do not listen".
  case address(orNone: Bool)
  /// A path, relative to the folder of the configuration file; `orNone`: an empty text means "none".
  case path(orNone: Bool)
  case bundleID
  case bundlePatterns
  /// Letters and digits, exactly so many.
  case identifier(count: Int)
  /// Not empty, at most so many bytes.
  case text(maximumBytes: Int)

  /// Completes "expected …" and stands in the reference.
  package var expectation: String {
    switch self {
    case .wholeNumber(let range) where range.lowerBound == range.upperBound: "\(range.lowerBound)"
    case .wholeNumber(let range): "a whole number from \(range.lowerBound) to \(range.upperBound)"
    case .boolean: "true or false"
    case .duration(let range):
      "a duration from \"\(DurationText.text(range.lowerBound))\" to \"\(DurationText.text(range.upperBound))\" "
        + "(units ms, s, m, h, d)"
    case .choice(let names): Self.alternatives(names)
    case .choices(let names): "a list of \(Self.alternatives(names)), at least one"
    case .address(let orNone):
      "a numeric address and port such as \"[::]:2197\" or \"127.0.0.1:2197\", or \"unix:/path\""
        + (orNone ? ", or \"\" for none" : "")
    case .path(let orNone): "a path" + (orNone ? ", or \"\" for none" : "")
    case .bundleID: "a bundle ID such as \"com.example.caffeine\""
    case .bundlePatterns: "a list of bundle IDs such as [\"com.example.caffeine\", \"com.example.*\"], at least one"
    case .identifier(let count): "\(count) letters and digits"
    case .text(let maximumBytes): "a text of 1 to \(maximumBytes) bytes"
    }
  }

  private static func alternatives(_ names: [String]) -> String {
    let quoted = names.map { "\"\($0)\"" }
    guard let last = quoted.last, quoted.count > 1 else { return quoted.first ?? "" }
    return quoted.dropLast().joined(separator: ", ") + " or " + last
  }

  /// - Returns: nil if the node is not what this kind expects.
  func read(_ node: TOMLNode) -> ConfigurationValue? {
    switch (self, node.value) {
    case (.wholeNumber(let range), .integer(let number)):
      Int(exactly: number).flatMap { range.contains($0) ? .number($0) : nil }
    case (.boolean, .boolean(let flag)):
      .flag(flag)
    case (.duration(let range), .text(let text)):
      DurationText.milliseconds(text).flatMap { range.contains($0) ? .milliseconds($0) : nil }
    case (.choice(let names), .text(let text)):
      names.contains(text) ? .text(text) : nil
    case (.choices(let names), .array(let nodes)):
      Self.texts(nodes) { names.contains($0) }
    case (.address(let orNone), .text(let text)):
      text.isEmpty && orNone ? .nothing : ListenAddress(text: text).map { .address($0) }
    case (.path(let orNone), .text(let text)):
      text.isEmpty ? (orNone ? .nothing : nil) : Self.isPath(text) ? .text(text) : nil
    case (.bundleID, .text(let text)):
      BundleID(text).map { _ in .text(text) }
    case (.bundlePatterns, .array(let nodes)):
      Self.texts(nodes) { BundlePattern($0) != nil }
    case (.identifier(let count), .text(let text)):
      text.utf8.count == count && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) } ? .text(text) : nil
    case (.text(let maximumBytes), .text(let text)):
      (1...maximumBytes).contains(text.utf8.count) ? .text(text) : nil
    default: nil
    }
  }

  private static func texts(_ nodes: [TOMLNode], where fits: (String) -> Bool) -> ConfigurationValue? {
    var found: [String] = []
    for node in nodes {
      guard case .text(let text) = node.value, fits(text) else { return nil }
      found.append(text)
    }
    return found.isEmpty ? nil : .texts(found)
  }

  /// A line break is the sign of a secret pasted where its file should be named.
  private static func isPath(_ text: String) -> Bool {
    text.utf8.count < 4096 && text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
  }
}
