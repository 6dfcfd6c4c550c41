import Testing
import TokenStore

@testable import gatewayctl

/// Protects the picture of a device's screens: that each widget is drawn in each of its places, says what it should, and
/// that no name can break the picture.
@Suite("Pictures of simulated screens") struct SnapshotTests {
  private func widget(
    _ family: WidgetFamily, kind: String = "caffeine", _ freshness: Snapshot.Freshness = .asPlaced
  ) -> Snapshot.Widget {
    Snapshot.Widget(
      kind: kind, family: family, freshness: freshness,
      lastRefresh: freshness == .fresh ? 1_796_013_440_000 : nil, lastPush: "2038F0D9-1F5F-4167-A490-32446458D673",
      refreshes: freshness == .fresh ? 2 : 0, limit: 50, remaining: 3, mostRemaining: 4)
  }

  private func snapshot(_ platform: Platform, _ widgets: [Snapshot.Widget]) -> Snapshot {
    Snapshot(device: "phone", app: "com.example.caffeine", platform: platform, os: "26", widgets: widgets)
  }

  private func families(_ platform: Platform) -> [WidgetFamily] {
    WidgetFamily.allCases.filter { $0.isAvailable(on: platform, os: OSVersion(26)) }
  }

  @Test("Every family of a platform is drawn once for each place and mode", arguments: Platform.allCases)
  func complete(platform: Platform) {
    let snapshot = snapshot(platform, families(platform).map { widget($0) })
    let panels = ScreenPanel.all(of: snapshot)
    for placement in Placement.of(platform) {
      let isSecond = placement.place == .todayView || placement.place == .notificationCenter
      for mode in isSecond ? Array(placement.modes.prefix(1)) : placement.modes {
        let drawn = panels.filter { $0.place == placement.place && $0.mode == mode }.flatMap(\.items)
          .map { snapshot.widgets[$0.widget].family }
        let expected = placement.families(in: mode).filter { families(platform).contains($0) }
        #expect(drawn.count == expected.count && Set(drawn) == Set(expected), "\(placement.place), \(mode)")
      }
    }
  }

  @Test("Widgets lie within their screen and never on each other, however many there are", arguments: Platform.allCases)
  func apart(platform: Platform) {
    let many = (0..<4).flatMap { round in families(platform).map { widget($0, kind: "kind-\(round)") } }
    for panel in ScreenPanel.all(of: snapshot(platform, many)) {
      let boxes = panel.items.map { item in
        (
          x: item.x, y: item.y, right: item.x + item.shape.width * item.scale,
          below: item.y + item.shape.height * item.scale
        )
      }
      for (index, box) in boxes.enumerated() {
        #expect(box.x >= 0 && box.y >= 0 && box.right <= panel.width && box.below <= panel.height, "\(panel.place)")
        for other in boxes[(index + 1)...] {
          let overlap =
            box.x < other.right - 0.5 && other.x < box.right - 0.5 && box.y < other.below - 0.5
            && other.y < box.below - 0.5
          #expect(!overlap, "\(panel.place), \(panel.mode)")
        }
      }
    }
  }

  @Test("The picture says when, whether it still stands, and what is left") func words() {
    let drawn = SnapshotPainter.draw(
      snapshot(
        .iOS,
        [
          widget(.systemSmall, .fresh), widget(.systemMedium, .stale(waitsFor: "budget until 09:30:00")),
          widget(.systemLarge, .stale(waitsFor: "budget until 09:40:00")), widget(.accessoryInline),
        ]), at: 1_796_013_441_000)
    for text in [
      ">phone<", "iOS 26 · com.example.caffeine", "4 widgets: 1 fresh, 2 stale, 1 as placed", "refreshed 04:37:20",
      "stale: budget until 09:40:00", ">budget until 09:30:00<", "3 left · 50 a day", "caffeine · as placed · 3 left",
      "Home Screen, full colour",
      "Home Screen, accented", "Lock Screen, vibrant", "StandBy, vibrant in low light", "CarPlay, full colour",
    ] { #expect(drawn.contains(text), "\(text)") }
  }

  @Test("Names cannot break the picture") func escaped() {
    let drawn = SnapshotPainter.draw(
      snapshot(.watchOS, [widget(.accessoryRectangular, kind: "<&\"\u{1}>")]), at: 0)
    #expect(drawn.contains("&lt;&amp;&quot;\u{FFFD}&gt;"))
    #expect(!drawn.unicodeScalars.contains("\u{1}"))
  }

  @Test("A family that no place is known for is named below the picture") func homeless() {
    #expect(
      SnapshotPainter.draw(snapshot(.visionOS, [widget(.accessoryCircular)]), at: 0)
        .contains("no place known: accessoryCircular"))
  }
}
