import GatewayReports

/// How values of reports read in tables.
enum ReportText {
  /// To the second; milliseconds are for programs.
  static func time(_ time: ReportTime) -> String { String(time.description.dropLast(5)) + "Z" }

  static func time(_ time: ReportTime?) -> String { time.map { self.time($0) } ?? "" }

  static func yesNo(_ value: Bool) -> String { value ? "yes" : "no" }

  /// `1 device`, `2 devices`, `2 refreshes`.
  static func count(_ number: Int, _ noun: String) -> String {
    "\(number) \(noun)" + (number == 1 ? "" : noun.hasSuffix("h") ? "es" : "s")
  }

  /// The two largest units, such as `1 d 2 h` or `5 s`.
  static func duration(seconds: Int) -> String {
    let units = [("d", seconds / 86_400), ("h", seconds / 3600 % 24), ("min", seconds / 60 % 60), ("s", seconds % 60)]
    let significant = units.drop { $0.1 == 0 }.prefix(2).filter { $0.1 > 0 }
    return significant.isEmpty ? "0 s" : significant.map { "\($0.1) \($0.0)" }.joined(separator: " ")
  }

  /// `3 of 4, 50 a day`, with the mode where it is not the usual one.
  static func budget(_ budget: WidgetBudget) -> String {
    "\(budget.remaining) of \(budget.burst), \(budget.limit) a day"
      + (budget.mode == "enforce" ? "" : " (\(budget.mode))")
  }
}
