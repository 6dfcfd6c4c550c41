import Testing
import TokenStore

@testable import gatewayctl

/// Protects the table of what is shown where: it must say what Apple's pages say, and nothing that a platform does not
/// have.
@Suite("Places and rendering modes of widgets") struct PlacementTests {
  /// As Apple's pages have it ("Preparing widgets for additional platforms, contexts, and appearances", the pages of
  /// WidgetFamily, "Developing a WidgetKit strategy"): place, family, and the modes in which the family is drawn there.
  private static let expected: [Platform: [String]] = [
    .iOS: [
      "homeScreen systemSmall fullColor accented", "homeScreen systemMedium fullColor accented",
      "homeScreen systemLarge fullColor accented", "homeScreen systemExtraLargePortrait fullColor accented",
      "todayView systemSmall fullColor accented", "todayView systemMedium fullColor accented",
      "todayView systemLarge fullColor accented", "todayView systemExtraLargePortrait fullColor accented",
      "lockScreen accessoryCircular vibrant", "lockScreen accessoryRectangular vibrant",
      "lockScreen accessoryInline vibrant", "standBy systemSmall fullColor vibrant", "carPlay systemSmall fullColor",
    ],
    .iPadOS: [
      "homeScreen systemSmall fullColor accented", "homeScreen systemMedium fullColor accented",
      "homeScreen systemLarge fullColor accented", "homeScreen systemExtraLarge fullColor accented",
      "todayView systemSmall fullColor accented", "todayView systemMedium fullColor accented",
      "todayView systemLarge fullColor accented", "todayView systemExtraLarge fullColor accented",
      "todayView systemExtraLargePortrait fullColor accented", "lockScreen systemSmall vibrant",
      "lockScreen accessoryCircular vibrant", "lockScreen accessoryRectangular vibrant",
      "lockScreen accessoryInline vibrant",
    ],
    .macOS: [
      "desktop systemSmall fullColor accented vibrant", "desktop systemMedium fullColor accented vibrant",
      "desktop systemLarge fullColor accented vibrant", "desktop systemExtraLarge fullColor accented vibrant",
      "desktop systemExtraLargePortrait fullColor accented vibrant",
      "notificationCenter systemSmall fullColor accented vibrant",
      "notificationCenter systemMedium fullColor accented vibrant",
      "notificationCenter systemLarge fullColor accented vibrant",
      "notificationCenter systemExtraLarge fullColor accented vibrant",
    ],
    .watchOS: [
      "watchFace accessoryCircular accented", "watchFace accessoryRectangular accented fullColor",
      "watchFace accessoryInline accented", "watchFace accessoryCorner accented",
      "smartStack accessoryRectangular fullColor",
    ],
    .visionOS: [
      "room systemSmall fullColor accented", "room systemMedium fullColor accented",
      "room systemLarge fullColor accented", "room systemExtraLarge fullColor accented",
      "room systemExtraLargePortrait fullColor accented",
    ],
  ]

  @Test("Each platform shows each family where Apple's pages say, in their modes", arguments: Platform.allCases)
  func table(platform: Platform) throws {
    let rows = Placement.of(platform).flatMap { placement in
      placement.families.map { family in
        ([placement.place.rawValue, family.rawValue]
          + placement.modes.filter { $0.applies(to: family) }.map(\.rawValue)).joined(separator: " ")
      }
    }
    #expect(rows.sorted() == (try #require(Self.expected[platform])).sorted())
  }

  @Test("What a place shows exists on its platform, and what exists on OS 26 has a place there") func consistent() {
    for placement in Placement.table {
      for family in placement.families { #expect(family.firstOS(on: placement.platform) != nil, "\(placement)") }
    }
    for platform in Platform.allCases {
      let placed = Placement.of(platform).flatMap(\.families)
      for family in WidgetFamily.allCases where family.isAvailable(on: platform, os: OSVersion(26)) {
        #expect(placed.contains(family), "\(family) on \(platform)")
      }
    }
  }
}
