/// The version of a device's system: one to three numbers of at most 9999, as `26`, `26.1` or `26.1.2`.
package struct OSVersion: Hashable, Comparable, Sendable, CustomStringConvertible {
  package var major: Int
  package var minor: Int
  package var patch: Int

  package init(_ major: Int, _ minor: Int = 0, _ patch: Int = 0) {
    self.major = major
    self.minor = minor
    self.patch = patch
  }

  /// - Returns: nil unless `text` is one to three decimal numbers without leading zeros, joined by `.`.
  package init?(_ text: String) {
    let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard (1...3).contains(parts.count) else { return nil }
    var numbers = [0, 0, 0]
    for (index, part) in parts.enumerated() {
      guard (1...4).contains(part.count), part.count == 1 || part.first != UInt8(ascii: "0") else { return nil }
      for digit in part {
        guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
        numbers[index] = numbers[index] * 10 + Int(digit - UInt8(ascii: "0"))
      }
    }
    self.init(numbers[0], numbers[1], numbers[2])
  }

  /// The shortest spelling: `26.0` comes back as `26`.
  package var description: String {
    if patch != 0 { return "\(major).\(minor).\(patch)" }
    return minor != 0 ? "\(major).\(minor)" : "\(major)"
  }

  package static func < (left: Self, right: Self) -> Bool {
    (left.major, left.minor, left.patch) < (right.major, right.minor, right.patch)
  }
}
