extension Duration {
  /// `500ms`, `25s`, `10m`, `8h`, `30d`, or seconds without a unit. Not negative; nil for anything else.
  package init?(text: String) {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    guard let count = Int64(digits) else { return nil }
    let milliseconds: Int64
    switch text.dropFirst(digits.count) {
    case "ms": milliseconds = 1
    case "s", "": milliseconds = 1000
    case "m": milliseconds = 60_000
    case "h": milliseconds = 3_600_000
    case "d": milliseconds = 86_400_000
    default: return nil
    }
    let (product, overflow) = count.multipliedReportingOverflow(by: milliseconds)
    guard !overflow else { return nil }
    self = .milliseconds(product)
  }
}
