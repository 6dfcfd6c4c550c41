import TokenStore

/// One screen of the picture: a place in one rendering mode, and where its widgets lie.
struct ScreenPanel {
  struct Item {
    /// Index into the snapshot's widgets.
    let widget: Int
    let x: Double
    let y: Double
    let scale: Double
    /// Of a corner complication: which one, clockwise from the upper left.
    var corner = 0
    let shape: WidgetShape
  }

  let place: ScreenPlace
  let mode: RenderingMode
  let width: Double
  let height: Double
  let items: [Item]

  static let gap = 16.0

  /// A device's screens that show at least one of its widgets. A Today View and a Notification Center look in every mode
  /// as Home Screen and desktop do, so they are drawn in one.
  static func all(of snapshot: Snapshot) -> [ScreenPanel] {
    Placement.of(snapshot.platform).flatMap { placement in
      let isSecond = placement.place == .todayView || placement.place == .notificationCenter
      return (isSecond ? Array(placement.modes.prefix(1)) : placement.modes).flatMap { mode in
        let families = placement.families(in: mode)
        let shown = snapshot.widgets.indices.filter { families.contains(snapshot.widgets[$0].family) }
        return shown.isEmpty ? [] : panels(placement, mode, shown, snapshot)
      }
    }
  }

  private static func panels(
    _ placement: Placement, _ mode: RenderingMode, _ shown: [Int], _ snapshot: Snapshot
  ) -> [ScreenPanel] {
    let isWide = placement.platform != .iOS && placement.platform != .watchOS
    func shelf(width: Double, top: Double, bottom: Double, least: Double, scale: Double = 1) -> [ScreenPanel] {
      let (items, below) = Self.shelf(shown, snapshot, width: width, top: top, scale: scale)
      return [
        ScreenPanel(
          place: placement.place, mode: mode, width: width, height: max(least, below + bottom), items: items)
      ]
    }
    switch placement.place {
    case .homeScreen: return shelf(width: isWide ? 720 : 368, top: 56, bottom: 104, least: isWide ? 520 : 620)
    case .todayView, .notificationCenter:
      let hasLarge = shown.contains { snapshot.widgets[$0].family == .systemExtraLarge }
      return shelf(width: hasLarge ? 704 : 368, top: 72, bottom: 32, least: 300)
    case .lockScreen: return [lockScreen(placement, mode, shown, snapshot)]
    case .standBy: return shelf(width: 492, top: 28, bottom: 28, least: 264, scale: 1.4)
    case .carPlay: return shelf(width: 442, top: 28, bottom: 28, least: 236, scale: 1.2)
    case .desktop: return shelf(width: 1040, top: 56, bottom: 84, least: 480)
    case .watchFace: return watchFaces(mode, shown, snapshot)
    case .smartStack: return shelf(width: 260, top: 60, bottom: 28, least: 312, scale: 1.32)
    case .room: return shelf(width: 1040, top: 64, bottom: 190, least: 560)
    }
  }

  /// Left to right, then below: rows as high as their highest widget.
  private static func shelf(
    _ shown: [Int], _ snapshot: Snapshot, width: Double, top: Double, scale: Double
  ) -> (items: [Item], below: Double) {
    let margin = 24.0
    var items: [Item] = []
    var (x, y, rowHeight) = (margin, top, 0.0)
    for index in shown {
      let shape = WidgetShape.of(snapshot.widgets[index].family)
      if x > margin, x + shape.width * scale > width - margin + 0.5 {
        x = margin
        y += rowHeight + gap
        rowHeight = 0
      }
      items.append(Item(widget: index, x: x, y: y, scale: scale, shape: shape))
      x += shape.width * scale + gap
      rowHeight = max(rowHeight, shape.height * scale)
    }
    return (items, y + rowHeight)
  }

  /// Inline text above the clock, accessories below it, and an iPad's small widgets below these.
  private static func lockScreen(
    _ placement: Placement, _ mode: RenderingMode, _ shown: [Int], _ snapshot: Snapshot
  ) -> ScreenPanel {
    let width = placement.platform == .iPadOS ? 560.0 : 368.0
    let inline = shown.filter { snapshot.widgets[$0].family == .accessoryInline }
    let small = shown.filter { snapshot.widgets[$0].family == .systemSmall }
    let others = shown.filter { !inline.contains($0) && !small.contains($0) }
    var items: [Item] = []
    let shape = WidgetShape.of(.accessoryInline)
    var y = 56.0
    for index in inline {
      items.append(Item(widget: index, x: (width - shape.width) / 2, y: y, scale: 1, shape: shape))
      y += shape.height + 6
    }
    let below = Self.shelf(others, snapshot, width: width, top: y + clockHeight, scale: 1)
    let last = Self.shelf(
      small, snapshot, width: width, top: (others.isEmpty ? y + clockHeight : below.below + gap), scale: 1)
    items += below.items + last.items
    return ScreenPanel(
      place: placement.place, mode: mode, width: width, height: max(620, last.below + 120), items: items)
  }

  /// What the clock of a Lock Screen takes.
  static let clockHeight = 112.0

  /// As many faces as are needed: each has four corners, a line of text, a rectangle and three circles.
  private static func watchFaces(_ mode: RenderingMode, _ shown: [Int], _ snapshot: Snapshot) -> [ScreenPanel] {
    let (width, height) = (292.0, 356.0)
    func slots(_ family: WidgetFamily) -> [(x: Double, y: Double)] {
      switch family {
      case .accessoryCorner: [(18, 18), (202, 18), (202, 266), (18, 266)]
      case .accessoryInline: [(22, 96)]
      case .accessoryRectangular: [(66, 184)]
      default: [(110, 266), (26, 184), (194, 184)]
      }
    }
    var faces: [[Item]] = []
    for family in WidgetFamily.allCases {
      let places = slots(family)
      for (count, index) in shown.filter({ snapshot.widgets[$0].family == family }).enumerated() {
        // A rectangle leaves room for one circle only.
        let hasRectangle = shown.contains { snapshot.widgets[$0].family == .accessoryRectangular }
        let usable = family == .accessoryCircular && hasRectangle && mode == .accented ? 1 : places.count
        let (face, slot) = (count / usable, count % usable)
        while faces.count <= face { faces.append([]) }
        faces[face].append(
          Item(
            widget: index, x: places[slot].x, y: places[slot].y, scale: 1, corner: slot, shape: WidgetShape.of(family)))
      }
    }
    return faces.map { ScreenPanel(place: .watchFace, mode: mode, width: width, height: height, items: $0) }
  }
}
