import Glibc

/// Writes SVG 1.1: shapes one after another, later ones above earlier ones.
struct SVGCanvas {
  enum Anchor: String { case start, middle, end }

  private(set) var body = ""
  private var definitions = ""

  mutating func rectangle(
    _ x: Double, _ y: Double, _ width: Double, _ height: Double, radius: Double = 0, fill: String,
    stroke: String? = nil, strokeWidth: Double = 1, dashes: String? = nil
  ) {
    body += #"<rect x="\#(n(x))" y="\#(n(y))" width="\#(n(width))" height="\#(n(height))" rx="\#(n(radius))" "#
    body += #"fill="\#(fill)"\#(Self.outline(stroke, strokeWidth, dashes))/>"# + "\n"
  }

  mutating func circle(
    _ x: Double, _ y: Double, _ radius: Double, fill: String, stroke: String? = nil, strokeWidth: Double = 1,
    dashes: String? = nil
  ) {
    body += #"<circle cx="\#(n(x))" cy="\#(n(y))" r="\#(n(radius))" fill="\#(fill)""#
    body += Self.outline(stroke, strokeWidth, dashes) + "/>\n"
  }

  /// Part of a ring, clockwise; angles in turns from the top.
  mutating func arc(
    _ x: Double, _ y: Double, _ radius: Double, from: Double, to: Double, stroke: String, strokeWidth: Double,
    dashes: String? = nil
  ) {
    // A whole ring begins where it ends, and would be drawn as nothing.
    let end = min(to, from + 0.9999)
    func point(_ turn: Double) -> String {
      n(x + radius * sin(turn * 2 * .pi)) + " " + n(y - radius * cos(turn * 2 * .pi))
    }
    let isLong = end - from > 0.5 ? 1 : 0
    body += #"<path d="M \#(point(from)) A \#(n(radius)) \#(n(radius)) 0 \#(isLong) 1 \#(point(end))" fill="none""#
    body += Self.outline(stroke, strokeWidth, dashes) + #" stroke-linecap="round"/>"# + "\n"
  }

  mutating func text(
    _ text: String, _ x: Double, _ y: Double, size: Double, fill: String, weight: Int = 400, anchor: Anchor = .start,
    opacity: Double = 1
  ) {
    body += #"<text x="\#(n(x))" y="\#(n(y))" font-size="\#(n(size))" font-weight="\#(weight)" fill="\#(fill)""#
    if opacity < 1 { body += #" fill-opacity="\#(n(opacity))""# }
    if anchor != .start { body += #" text-anchor="\#(anchor.rawValue)""# }
    body += ">" + Self.escaped(text) + "</text>\n"
  }

  mutating func begin(x: Double, y: Double, scale: Double = 1, opacity: Double = 1) {
    body += #"<g transform="translate(\#(n(x)) \#(n(y)))"#
    if scale != 1 { body += " scale(\(n(scale)))" }
    body += #"""#
    if opacity < 1 { body += #" opacity="\#(n(opacity))""# }
    body += ">\n"
  }

  mutating func end() { body += "</g>\n" }

  /// - Returns: what `fill` takes to paint it.
  mutating func gradient(_ name: String, from: String, to: String, isDiagonal: Bool = true) -> String {
    definitions += #"<linearGradient id="\#(name)" x1="0" y1="0" x2="\#(isDiagonal ? 1 : 0)" y2="1">"#
    definitions += #"<stop offset="0" stop-color="\#(from)"/><stop offset="1" stop-color="\#(to)"/></linearGradient>"#
    definitions += "\n"
    return "url(#\(name))"
  }

  func document(width: Double, height: Double) -> String {
    """
    <svg xmlns="http://www.w3.org/2000/svg" width="\(n(width))" height="\(n(height))" \
    viewBox="0 0 \(n(width)) \(n(height))" font-family="Inter, 'SF Pro Text', 'Helvetica Neue', 'DejaVu Sans', sans-serif">
    <defs>
    \(definitions)</defs>
    \(body)</svg>

    """
  }

  private static func outline(_ stroke: String?, _ width: Double, _ dashes: String?) -> String {
    guard let stroke else { return "" }
    return #" stroke="\#(stroke)" stroke-width="\#(n(width))""# + (dashes.map { #" stroke-dasharray="\#($0)""# } ?? "")
  }

  /// Markup and what XML 1.0 cannot hold.
  static func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{FFFE}", "\u{FFFF}": escaped += "\u{FFFD}"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }

  private func n(_ number: Double) -> String { Self.n(number) }

  /// At most two decimals, and none that say nothing.
  private static func n(_ number: Double) -> String {
    let rounded = (number * 100).rounded() / 100
    return rounded == rounded.rounded() ? String(Int(rounded)) : String(rounded)
  }
}
