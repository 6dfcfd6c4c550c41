/// The families of WidgetKit (Apple: WidgetFamily).
package enum WidgetFamily: String, CaseIterable, Sendable, Codable {
  case systemSmall, systemMedium, systemLarge, systemExtraLarge, systemExtraLargePortrait
  case accessoryCircular, accessoryRectangular, accessoryInline, accessoryCorner

  /// The first release of `platform` on which a person can place a widget of this family; nil where none can.
  ///
  /// Where the symbol is older than the place, the place counts: `systemExtraLarge` is declared for iOS 15 and no
  /// iPhone shows one; the accessory families are declared for iPadOS 16, and the Lock Screen of an iPad shows them
  /// from 17.
  package func firstOS(on platform: Platform) -> OSVersion? {
    switch (self, platform) {
    case (.systemSmall, .iOS), (.systemMedium, .iOS), (.systemLarge, .iOS): OSVersion(14)
    case (.systemSmall, .iPadOS), (.systemMedium, .iPadOS), (.systemLarge, .iPadOS): OSVersion(14)
    case (.systemSmall, .macOS), (.systemMedium, .macOS), (.systemLarge, .macOS): OSVersion(11)
    case (.systemSmall, .visionOS), (.systemMedium, .visionOS), (.systemLarge, .visionOS): OSVersion(26)
    case (.systemSmall, .watchOS), (.systemMedium, .watchOS), (.systemLarge, .watchOS): nil

    case (.systemExtraLarge, .iPadOS): OSVersion(15)
    case (.systemExtraLarge, .macOS): OSVersion(14)
    case (.systemExtraLarge, .visionOS): OSVersion(26)
    case (.systemExtraLarge, .iOS), (.systemExtraLarge, .watchOS): nil

    case (.systemExtraLargePortrait, .iOS), (.systemExtraLargePortrait, .iPadOS): OSVersion(27)
    case (.systemExtraLargePortrait, .macOS): OSVersion(27)
    case (.systemExtraLargePortrait, .visionOS): OSVersion(26)
    case (.systemExtraLargePortrait, .watchOS): nil

    case (.accessoryCircular, .iOS), (.accessoryRectangular, .iOS), (.accessoryInline, .iOS): OSVersion(16)
    case (.accessoryCircular, .iPadOS), (.accessoryRectangular, .iPadOS), (.accessoryInline, .iPadOS): OSVersion(17)
    case (.accessoryCircular, .watchOS), (.accessoryRectangular, .watchOS), (.accessoryInline, .watchOS): OSVersion(9)
    case (.accessoryCircular, .visionOS), (.accessoryRectangular, .visionOS): OSVersion(27)
    case (.accessoryCircular, .macOS), (.accessoryRectangular, .macOS), (.accessoryInline, .macOS): nil
    case (.accessoryInline, .visionOS): nil

    case (.accessoryCorner, .watchOS): OSVersion(9)
    case (.accessoryCorner, .iOS), (.accessoryCorner, .iPadOS), (.accessoryCorner, .macOS): nil
    case (.accessoryCorner, .visionOS): nil
    }
  }

  package func isAvailable(on platform: Platform, os: OSVersion) -> Bool {
    guard let first = firstOS(on: platform) else { return false }
    return os >= first
  }

  /// Why a device cannot have a widget of this family, for the developer who tried; nil when it can.
  package func reasonForAbsence(on platform: Platform, os: OSVersion) -> String? {
    guard let first = firstOS(on: platform) else { return "\(rawValue) does not exist on \(platform.rawValue)" }
    guard os < first else { return nil }
    return "\(rawValue) exists on \(platform.rawValue) from \(first), and this device runs \(os)"
  }
}
