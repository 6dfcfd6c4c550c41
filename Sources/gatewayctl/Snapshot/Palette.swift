/// The colours of one drawing of a widget.
struct Palette {
  /// The card; nil: none, as on a watch face.
  let card: String?
  let edge: String?
  let text: String
  let accent: String

  /// Pairs of colours for kinds in full colour.
  static let hues = [
    ("#C9703B", "#8E3F1F"), ("#3E7BD6", "#20479B"), ("#2FA08A", "#166254"), ("#8A5BD0", "#52309A"),
    ("#D0557F", "#93294F"), ("#7A8B3A", "#4B5A1C"),
  ]
  static let tint = "#FFC978"
  static let night = "#FF5548"
  static let fresh = "#5BE584"
  static let stale = "#FFB020"

  static func of(_ mode: RenderingMode, at place: ScreenPlace, card gradient: String) -> Palette {
    switch (mode, place) {
    case (.fullColor, .standBy), (.fullColor, .carPlay):
      // The system has removed the background.
      Palette(card: nil, edge: nil, text: "#FFFFFF", accent: fresh)
    case (.fullColor, .watchFace): Palette(card: nil, edge: nil, text: "#FFFFFF", accent: fresh)
    case (.fullColor, _): Palette(card: gradient, edge: nil, text: "#FFFFFF", accent: "#FFFFFF")
    case (.accented, .watchFace): Palette(card: nil, edge: nil, text: tint, accent: tint)
    case (.accented, _): Palette(card: "rgba(20,22,34,0.55)", edge: "rgba(255,255,255,0.28)", text: tint, accent: tint)
    case (.vibrant, .standBy): Palette(card: nil, edge: nil, text: night, accent: night)
    case (.vibrant, _):
      Palette(card: "rgba(255,255,255,0.16)", edge: nil, text: "#FFFFFF", accent: "#FFFFFF")
    }
  }
}
