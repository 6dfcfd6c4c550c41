/// Durations as the configuration writes them: a whole number and one unit, `"500ms"`, `"25s"`, `"8h"`, `"30d"`.
package enum DurationText {
  private static let units: [(name: String, milliseconds: Int64)] = [
    ("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1000), ("ms", 1),
  ]

  /// - Returns: milliseconds, or nil if `text` is no such duration or too long to count.
  package static func milliseconds(_ text: String) -> Int64? {
    let digits = text.prefix { ("0"..."9").contains($0) }
    guard !digits.isEmpty, let count = Int64(digits) else { return nil }
    let unit = text.dropFirst(digits.count)
    guard let factor = units.first(where: { $0.name == unit })?.milliseconds else { return nil }
    let (product, overflow) = count.multipliedReportingOverflow(by: factor)
    return overflow ? nil : product
  }

  /// The shortest text that means `milliseconds`.
  package static func text(_ milliseconds: Int64) -> String {
    guard milliseconds != 0 else { return "0s" }
    for unit in units where milliseconds % unit.milliseconds == 0 {
      return "\(milliseconds / unit.milliseconds)\(unit.name)"
    }
    return "\(milliseconds)ms"
  }
}
