import Testing
import TokenStore

/// Protects the table of families: a widget that no device could show must not be registered, and one that a device
/// can show must not be refused.
@Suite("Widget family") struct WidgetFamilyTests {
  /// First release by iOS, iPadOS, macOS, watchOS, visionOS; 0 = never. Written out a second time, so that a slip in
  /// the code's table shows.
  static let firstReleases: [(WidgetFamily, [Int])] = [
    (.systemSmall, [14, 14, 11, 0, 26]),
    (.systemMedium, [14, 14, 11, 0, 26]),
    (.systemLarge, [14, 14, 11, 0, 26]),
    (.systemExtraLarge, [0, 15, 14, 0, 26]),
    (.systemExtraLargePortrait, [27, 27, 27, 0, 26]),
    (.accessoryCircular, [16, 17, 0, 9, 27]),
    (.accessoryRectangular, [16, 17, 0, 9, 27]),
    (.accessoryInline, [16, 17, 0, 9, 0]),
    (.accessoryCorner, [0, 0, 0, 9, 0]),
  ]

  @Test("The table above names every family once")
  func complete() { #expect(Self.firstReleases.map(\.0) == WidgetFamily.allCases) }

  @Test("A family exists from its first release on, and not before", arguments: firstReleases)
  func availability(family: WidgetFamily, releases: [Int]) {
    for (platform, first) in zip(Platform.allCases, releases) {
      if first == 0 {
        #expect(!family.isAvailable(on: platform, os: OSVersion(9999)))
        #expect(
          family.reasonForAbsence(on: platform, os: OSVersion(26))
            == "\(family.rawValue) does not exist on \(platform.rawValue)")
      } else {
        #expect(family.isAvailable(on: platform, os: OSVersion(first)))
        #expect(family.isAvailable(on: platform, os: OSVersion(first + 1)))
        #expect(!family.isAvailable(on: platform, os: OSVersion(first - 1, 9, 9)))
        #expect(family.reasonForAbsence(on: platform, os: OSVersion(first)) == nil)
      }
    }
  }

  @Test("The reason names family, platform, first release and the device's own")
  func reason() {
    #expect(
      WidgetFamily.systemExtraLargePortrait.reasonForAbsence(on: .iOS, os: OSVersion(26, 1))
        == "systemExtraLargePortrait exists on iOS from 27, and this device runs 26.1")
  }
}
