import GatewayReports
import TokenStore

/// Draws a ``Snapshot`` as one picture: the device's screens side by side.
struct SnapshotPainter {
  let snapshot: Snapshot
  private var canvas = SVGCanvas()
  private var hues: [String: String] = [:]

  private static let margin = 40.0
  private static let widest = 1320.0
  private static let titleHeight = 36.0

  private init(_ snapshot: Snapshot) { self.snapshot = snapshot }

  /// - Parameter time: milliseconds since 1970.
  /// - Returns: an SVG document.
  static func draw(_ snapshot: Snapshot, at time: Int64) -> String {
    var painter = SnapshotPainter(snapshot)
    return painter.draw(at: time)
  }

  private mutating func draw(at time: Int64) -> String {
    let panels = ScreenPanel.all(of: snapshot)
    let (places, width, height) = arranged(panels)
    let total = height + 60
    canvas.rectangle(
      0, 0, width, total, fill: canvas.gradient("paper", from: "#F4F2EE", to: "#E4E0D8", isDiagonal: false))
    heading(width: width, at: time)
    for kind in snapshot.widgets.map(\.kind) where hues[kind] == nil {
      let (from, to) = Palette.hues[hues.count % Palette.hues.count]
      hues[kind] = canvas.gradient("kind\(hues.count)", from: from, to: to)
    }
    for (index, panel) in panels.enumerated() {
      canvas.begin(x: places[index].x, y: places[index].y)
      canvas.text(
        panel.place.title + ", " + modeText(panel), 4, 20, size: 14, fill: "#3A3630", weight: 600)
      canvas.begin(x: 0, y: Self.titleHeight)
      Backdrop(panel: panel, platform: snapshot.platform, name: "back\(index)").paint(on: &canvas)
      for item in panel.items {
        let widget = snapshot.widgets[item.widget]
        let palette = Palette.of(panel.mode, at: panel.place, card: hues[widget.kind] ?? "#666666")
        canvas.begin(x: item.x, y: item.y, scale: item.scale)
        WidgetPainter(widget: widget, palette: palette, corner: item.corner).paint(on: &canvas)
        canvas.end()
      }
      canvas.end()
      canvas.end()
    }
    legend(y: total - 28)
    return canvas.document(width: width, height: total)
  }

  private func modeText(_ panel: ScreenPanel) -> String {
    panel.place == .standBy && panel.mode == .vibrant ? "vibrant in low light" : panel.mode.title
  }

  /// In rows, as wide as the picture may be; a low screen lies under the one before it where that leaves room.
  private func arranged(
    _ panels: [ScreenPanel]
  ) -> (places: [(x: Double, y: Double)], width: Double, height: Double) {
    var places: [(x: Double, y: Double)] = []
    var (x, y, rowHeight, width) = (Self.margin, 108.0, 0.0, 520.0)
    // The column at the right: where it begins, what it takes, and how far down it reaches.
    var (columnX, columnWidth, columnHeight) = (Self.margin, 0.0, 0.0)
    for panel in panels {
      let height = panel.height + Self.titleHeight
      if columnHeight > 0, columnHeight + 28 + height <= rowHeight + 0.5,
        columnX + max(columnWidth, panel.width) + Self.margin <= Self.widest
      {
        places.append((columnX, y + columnHeight + 28))
        columnWidth = max(columnWidth, panel.width)
        columnHeight += 28 + height
      } else {
        if x > Self.margin, x + panel.width + Self.margin > Self.widest {
          (x, y, rowHeight) = (Self.margin, y + rowHeight + 28, 0)
        }
        places.append((x, y))
        (columnX, columnWidth, columnHeight) = (x, panel.width, height)
        rowHeight = max(rowHeight, height)
      }
      x = max(x, columnX + columnWidth + 32)
      width = max(width, columnX + columnWidth + Self.margin)
    }
    return (places, width, y + rowHeight)
  }

  private mutating func heading(width: Double, at time: Int64) {
    canvas.text(snapshot.device, Self.margin, 52, size: 26, fill: "#1E1B17", weight: 700)
    canvas.text(
      "\(snapshot.platform.rawValue) \(snapshot.os) · \(snapshot.app)", Self.margin, 78, size: 14, fill: "#5C564D")
    let text = ReportTime(milliseconds: time).description
    canvas.text(
      text.prefix(10) + " " + text.dropFirst(11).prefix(8) + " UTC", width - Self.margin, 52, size: 14, fill: "#5C564D",
      anchor: .end)
    canvas.text(summary, width - Self.margin, 78, size: 14, fill: "#1E1B17", weight: 600, anchor: .end)
  }

  private var summary: String {
    let states = snapshot.widgets.map(\.freshness)
    let (fresh, placed) = (states.count { $0 == .fresh }, states.count { $0 == .asPlaced })
    let counts = [(fresh, "fresh"), (states.count - fresh - placed, "stale"), (placed, "as placed")]
    return ReportText.count(states.count, "widget") + ": "
      + (counts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", "))
  }

  private mutating func legend(y: Double) {
    let shown = ScreenPanel.all(of: snapshot).flatMap { panel in panel.items.map(\.widget) }
    let missing = snapshot.widgets.indices.filter { !shown.contains($0) }.map { snapshot.widgets[$0].family.rawValue }
    var x = Self.margin
    for (mark, text) in [
      ("fresh", "refreshed by the newest push"), ("stale", "a push waits"), ("placed", "no push yet"),
    ] {
      switch mark {
      case "fresh": canvas.circle(x + 6, y - 4, 6, fill: "#2DB85A")
      case "stale":
        canvas.circle(x + 6, y - 4, 5, fill: "none", stroke: "#D98A00", strokeWidth: 2.6)
        canvas.rectangle(x, y - 5.2, 12, 2.4, fill: "#D98A00")
      default: canvas.circle(x + 6, y - 4, 5, fill: "none", stroke: "#5C564D", strokeWidth: 2)
      }
      canvas.text(text, x + 20, y, size: 12, fill: "#5C564D")
      x += 34 + Double(text.count) * 6.8
    }
    if !missing.isEmpty {
      canvas.text("no place known: " + missing.joined(separator: ", "), x + 12, y, size: 12, fill: "#8A3B1E")
    }
  }
}
