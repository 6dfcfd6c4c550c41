import GatewayReports
import TokenStore

/// Draws one widget: its kind, when it was last refreshed, whether that still stands, and what is left of its budget.
struct WidgetPainter {
  let widget: Snapshot.Widget
  let palette: Palette
  /// Of a corner complication.
  let corner: Int

  private var shape: WidgetShape { WidgetShape.of(widget.family) }

  /// In the widget's own coordinates.
  func paint(on canvas: inout SVGCanvas) {
    switch shape.outline {
    case .roundedRectangle: paintCard(on: &canvas)
    case .circle: paintCircle(on: &canvas)
    case .corner: paintCorner(on: &canvas)
    case .line: paintLine(on: &canvas)
    }
  }

  // MARK: Words

  private var isStale: Bool { if case .stale = widget.freshness { true } else { false } }

  /// Of the day, in UTC.
  private var time: String? {
    widget.lastRefresh.map { String(ReportTime(milliseconds: $0).description.dropFirst(11).prefix(8)) }
  }

  private var stateText: String {
    switch widget.freshness {
    case .asPlaced: "as placed"
    case .fresh: "fresh"
    case .stale(let waitsFor): "stale: " + waitsFor
    }
  }

  /// Without the time until which it waits.
  private var shortStateText: String {
    stateText.firstRange(of: " until ").map { String(stateText[..<$0.lowerBound]) } ?? stateText
  }

  private var budgetText: String {
    guard let remaining = widget.remaining else { return "no budget" }
    return "\(remaining) left" + (widget.limit.map { " · \($0) a day" } ?? "")
  }

  private var budgetShare: Double {
    guard let remaining = widget.remaining else { return 1 }
    return widget.mostRemaining > 0 ? min(1, Double(remaining) / Double(widget.mostRemaining)) : 0
  }

  private var stateColour: String {
    switch widget.freshness {
    case .asPlaced: palette.text
    case .fresh: Palette.fresh
    case .stale: Palette.stale
    }
  }

  private func clipped(_ text: String, _ characters: Int) -> String {
    text.count > characters ? text.prefix(characters - 1) + "…" : text
  }

  // MARK: Shapes

  private func paintCard(on canvas: inout SVGCanvas) {
    let isAccessory = widget.family == .accessoryRectangular
    let radius = isAccessory ? 16.0 : 28.0
    if let card = palette.card {
      canvas.rectangle(0, 0, shape.width, shape.height, radius: radius, fill: card, stroke: palette.edge)
    }
    if isStale {
      canvas.rectangle(
        1.5, 1.5, shape.width - 3, shape.height - 3, radius: radius - 1.5, fill: "none", stroke: Palette.stale,
        strokeWidth: 3, dashes: "8 6")
    } else if widget.freshness == .fresh {
      canvas.rectangle(
        1.5, 1.5, shape.width - 3, shape.height - 3, radius: radius - 1.5, fill: "none", stroke: Palette.fresh,
        strokeWidth: 3)
    }
    if isAccessory { paintAccessory(on: &canvas) } else { paintSystem(on: &canvas) }
  }

  private func paintAccessory(on canvas: inout SVGCanvas) {
    canvas.text(clipped(widget.kind, 16), 12, 22, size: 14, fill: palette.text, weight: 700)
    mark(on: &canvas, x: 17, y: 37, radius: 4.5)
    canvas.text(
      clipped(isStale ? shortStateText : time ?? stateText, 20), 27, 41, size: 11.5, fill: palette.text, opacity: 0.9)
    bar(on: &canvas, x: 12, y: 54, width: 92)
    canvas.text(
      widget.remaining.map { "\($0) left" } ?? "no budget", 148, 60, size: 10.5, fill: palette.text, anchor: .end,
      opacity: 0.85)
  }

  private func paintSystem(on canvas: inout SVGCanvas) {
    let isSmall = widget.family == .systemSmall
    // Beside the bars of a medium one is no more room than on a small one.
    let isNarrow = isSmall || widget.family == .systemMedium
    canvas.text(clipped(widget.kind, isSmall ? 12 : 26), 18, 34, size: 17, fill: palette.text, weight: 700)
    canvas.text(familyText, 18, 52, size: 11, fill: palette.text, opacity: 0.7)
    let base = shape.height
    mark(on: &canvas, x: 24, y: base - 67, radius: 6)
    canvas.text(
      clipped(isNarrow && isStale ? "stale" : stateText, isNarrow ? 13 : 34), 37, base - 62, size: 13,
      fill: palette.text, weight: 600)
    let second =
      isNarrow && isStale ? String(stateText.dropFirst(7)) : time.map { "refreshed " + $0 } ?? "not refreshed"
    canvas.text(clipped(second, isNarrow ? 22 : 34), 18, base - 44, size: 11, fill: palette.text, opacity: 0.85)
    bar(on: &canvas, x: 18, y: base - 34, width: (isSmall ? shape.width : min(shape.width, 180)) - 36)
    canvas.text(budgetText, 18, base - 14, size: 11, fill: palette.text, opacity: 0.85)
    guard !isSmall else { return }
    if let push = widget.lastPush {
      canvas.text(
        "push " + push.prefix(8), shape.width - 18, base - 14, size: 10.5, fill: palette.text, anchor: .end,
        opacity: 0.7)
    }
    canvas.text(
      "\(widget.refreshes)×", shape.width - 18, 34, size: 17, fill: palette.text, weight: 700, anchor: .end,
      opacity: 0.9)
    paintChart(on: &canvas)
  }

  /// Stands for the widget's content: other bars after each refresh, so that a refresh is seen.
  private func paintChart(on canvas: inout SVGCanvas) {
    let isMedium = widget.family == .systemMedium
    let (left, right) = (isMedium ? 190.0 : 18.0, shape.width - 18)
    let (top, bottom) = (isMedium ? 48.0 : 74.0, shape.height - (isMedium ? 34 : 98))
    let step = isMedium ? 16.0 : 24.0
    let count = Int((right - left) / step)
    var bars = SeededGenerator(seed: UInt64(widget.refreshes) &* 31 &+ UInt64(widget.kind.utf8.count))
    for index in 0..<count {
      let height = (bottom - top) * (0.25 + 0.75 * Double(bars.next() % 1000) / 1000)
      canvas.begin(x: left + Double(index) * step, y: bottom - height, opacity: isStale ? 0.3 : 0.6)
      canvas.rectangle(0, 0, step * 0.6, height, radius: 3, fill: palette.accent)
      canvas.end()
    }
  }

  private func paintCircle(on canvas: inout SVGCanvas) {
    if palette.card != nil { canvas.circle(36, 36, 36, fill: palette.card ?? "none") }
    ring(on: &canvas, x: 36, y: 36, radius: 31, from: 0.625, to: 1.375)
    canvas.text(
      widget.remaining.map { "\($0)" } ?? "∞", 36, 40, size: 20, fill: palette.text, weight: 700, anchor: .middle)
    canvas.text(clipped(shortKind, 8), 36, 52, size: 8.5, fill: palette.text, anchor: .middle, opacity: 0.85)
    mark(on: &canvas, x: 36, y: 62, radius: 4)
  }

  /// The gauge bends with the corner of the face.
  private func paintCorner(on canvas: inout SVGCanvas) {
    let centres = [(72.0, 72.0), (0.0, 72.0), (0.0, 0.0), (72.0, 0.0)]
    let starts = [0.75, 0.0, 0.25, 0.5]
    let (x, y) = centres[corner]
    ring(on: &canvas, x: x, y: y, radius: 66, from: starts[corner] + 0.02, to: starts[corner] + 0.23)
    let (inX, inY) = (x == 0 ? 26.0 : 46.0, y == 0 ? 26.0 : 50.0)
    canvas.text(
      widget.remaining.map { "\($0)" } ?? "∞", inX, inY, size: 19, fill: palette.text, weight: 700, anchor: .middle)
    canvas.text(clipped(shortKind, 8), inX, inY + 11, size: 8, fill: palette.text, anchor: .middle, opacity: 0.85)
    mark(on: &canvas, x: inX, y: inY - 22, radius: 3.5)
  }

  private func paintLine(on canvas: inout SVGCanvas) {
    let state = isStale ? "stale" : time ?? "as placed"
    let text = [clipped(widget.kind, 14), state, widget.remaining.map { "\($0) left" } ?? "no budget"]
      .joined(separator: " · ")
    // Glyphs are about half as wide as they are high.
    let width = Double(text.count) * 13 * 0.54
    mark(on: &canvas, x: shape.width / 2 - width / 2 - 10, y: 12.5, radius: 4.5)
    canvas.text(text, shape.width / 2, 17, size: 13, fill: palette.text, weight: 600, anchor: .middle)
  }

  // MARK: Parts

  private var shortKind: String { widget.kind.hasPrefix("widget-") ? "w" + widget.kind.dropFirst(6) : widget.kind }

  private var familyText: String {
    switch widget.family {
    case .systemSmall: "small"
    case .systemMedium: "medium"
    case .systemLarge: "large"
    case .systemExtraLarge: "extra large"
    case .systemExtraLargePortrait: "extra large, portrait"
    case .accessoryCircular, .accessoryRectangular, .accessoryInline, .accessoryCorner: ""
    }
  }

  /// A full dot, a ring with a bar through it, or an empty ring: told apart without colours too.
  private func mark(on canvas: inout SVGCanvas, x: Double, y: Double, radius: Double) {
    switch widget.freshness {
    case .fresh: canvas.circle(x, y, radius, fill: Palette.fresh, stroke: "rgba(0,0,0,0.35)", strokeWidth: 0.8)
    case .stale:
      canvas.circle(x, y, radius, fill: "none", stroke: Palette.stale, strokeWidth: radius * 0.45)
      canvas.rectangle(x - radius, y - radius * 0.2, radius * 2, radius * 0.4, fill: Palette.stale)
    case .asPlaced: canvas.circle(x, y, radius, fill: "none", stroke: palette.text, strokeWidth: radius * 0.35)
    }
  }

  private func bar(on canvas: inout SVGCanvas, x: Double, y: Double, width: Double) {
    canvas.begin(x: x, y: y, opacity: 0.3)
    canvas.rectangle(0, 0, width, 6, radius: 3, fill: palette.text)
    canvas.end()
    guard budgetShare > 0 else { return }
    canvas.rectangle(x, y, max(6, width * budgetShare), 6, radius: 3, fill: palette.accent)
  }

  private func ring(
    on canvas: inout SVGCanvas, x: Double, y: Double, radius: Double, from: Double, to: Double
  ) {
    canvas.begin(x: 0, y: 0, opacity: 0.3)
    canvas.arc(x, y, radius, from: from, to: to, stroke: palette.text, strokeWidth: 6, dashes: nil)
    canvas.end()
    guard budgetShare > 0 else { return }
    let colour = isStale ? Palette.stale : widget.freshness == .fresh ? Palette.fresh : palette.accent
    canvas.arc(x, y, radius, from: from, to: from + (to - from) * budgetShare, stroke: colour, strokeWidth: 6)
  }
}
