import TokenStore

/// The one table of what is shown where, and how.
struct Placement: Equatable {
  let platform: Platform
  let place: ScreenPlace
  let families: [WidgetFamily]
  /// In the order in which they are drawn: what a person sees who has chosen nothing comes first.
  let modes: [RenderingMode]

  private init(
    _ platform: Platform, _ place: ScreenPlace, _ families: [WidgetFamily], _ modes: [RenderingMode]
  ) {
    self.platform = platform
    self.place = place
    self.families = families
    self.modes = modes
  }

  private static let square: [WidgetFamily] = [.systemSmall, .systemMedium, .systemLarge]
  private static let accessories: [WidgetFamily] = [.accessoryCircular, .accessoryRectangular, .accessoryInline]

  /// Families stand here once the platform's system has them (``WidgetFamily/firstOS(on:)``). Of StandBy Apple's sources
  /// say both full colour and vibrant, so it is drawn in both, the second as in low light.
  static let table: [Placement] = [
    Placement(.iOS, .homeScreen, square + [.systemExtraLargePortrait], [.fullColor, .accented]),
    Placement(.iOS, .todayView, square + [.systemExtraLargePortrait], [.fullColor, .accented]),
    Placement(.iOS, .lockScreen, accessories, [.vibrant]),
    Placement(.iOS, .standBy, [.systemSmall], [.fullColor, .vibrant]),
    Placement(.iOS, .carPlay, [.systemSmall], [.fullColor]),
    Placement(.iPadOS, .homeScreen, square + [.systemExtraLarge], [.fullColor, .accented]),
    Placement(
      .iPadOS, .todayView, square + [.systemExtraLarge, .systemExtraLargePortrait], [.fullColor, .accented]),
    Placement(.iPadOS, .lockScreen, [.systemSmall] + accessories, [.vibrant]),
    Placement(
      .macOS, .desktop, square + [.systemExtraLarge, .systemExtraLargePortrait], [.fullColor, .accented, .vibrant]),
    Placement(.macOS, .notificationCenter, square + [.systemExtraLarge], [.fullColor, .accented, .vibrant]),
    Placement(.watchOS, .watchFace, accessories + [.accessoryCorner], [.accented, .fullColor]),
    Placement(.watchOS, .smartStack, [.accessoryRectangular], [.fullColor]),
    Placement(
      .visionOS, .room, square + [.systemExtraLarge, .systemExtraLargePortrait], [.fullColor, .accented]),
  ]

  static func of(_ platform: Platform) -> [Placement] { table.filter { $0.platform == platform } }

  /// Families that are drawn in `mode` here.
  func families(in mode: RenderingMode) -> [WidgetFamily] { families.filter { mode.applies(to: $0) } }
}
