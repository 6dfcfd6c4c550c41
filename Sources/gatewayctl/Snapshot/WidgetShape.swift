import TokenStore

/// How large a family is drawn, in points of the picture. The proportions are those of an iPhone's grid: a small widget is
/// two icons wide and high.
struct WidgetShape: Equatable {
  enum Outline { case roundedRectangle, circle, corner, line }

  let width: Double
  let height: Double
  let outline: Outline

  private init(_ width: Double, _ height: Double, _ outline: Outline = .roundedRectangle) {
    self.width = width
    self.height = height
    self.outline = outline
  }

  static func of(_ family: WidgetFamily) -> WidgetShape {
    switch family {
    case .systemSmall: WidgetShape(152, 152)
    case .systemMedium: WidgetShape(320, 152)
    case .systemLarge: WidgetShape(320, 320)
    case .systemExtraLarge: WidgetShape(656, 320)
    case .systemExtraLargePortrait: WidgetShape(320, 488)
    case .accessoryCircular: WidgetShape(72, 72, .circle)
    case .accessoryRectangular: WidgetShape(160, 72)
    case .accessoryInline: WidgetShape(248, 24, .line)
    case .accessoryCorner: WidgetShape(72, 72, .corner)
    }
  }
}
