/// Prometheus' text exposition format 0.0.4.
public enum PrometheusText {
  public static let contentType = "text/plain; version=0.0.4; charset=utf-8"

  public static func text(of families: [MetricFamily]) -> String {
    var text = ""
    for family in families {
      text += "# HELP \(family.name) \(escaped(family.help, quotes: false))\n"
      text += "# TYPE \(family.name) \(family.kind.rawValue)\n"
      for sample in family.samples {
        text += family.name + sample.suffix
        if !sample.labels.isEmpty {
          let labels = sample.labels.map { "\($0.name)=\"\(escaped($0.value, quotes: true))\"" }
          text += "{" + labels.joined(separator: ",") + "}"
        }
        text += " " + number(sample.value) + "\n"
      }
    }
    return text
  }

  /// Whole numbers without a fraction, as counters are read by people too.
  static func number(_ value: Double) -> String {
    if value.isNaN { return "NaN" }
    if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
    // Above 2^53 the digits of an integer would say more than the value knows.
    if value == value.rounded(), abs(value) < 9_007_199_254_740_992 { return String(Int64(value)) }
    return value.description
  }

  /// Help texts escape backslash and line feed, label values the quote as well.
  private static func escaped(_ text: String, quotes: Bool) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\"" where quotes: result += "\\\""
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
