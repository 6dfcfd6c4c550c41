import Testing
import TokenStore

@testable import gatewayctl

/// Protects what the simulator calls a miss: a push that reached several devices and passed a widget of another by.
@Suite("Pushes for the crowd") struct CrowdPushesTests {
  private let small = CrowdPushes.WidgetClass(platform: .iOS, kind: "caffeine", family: "systemSmall")

  private func widget(_ family: String = "systemSmall", placed: Int64 = 0) -> SimulatedWidget {
    SimulatedWidget(kind: "caffeine", family: family, placed: placed)
  }

  @Test("One device alone is no crowd; with the second, whoever got nothing has missed it") func second() {
    var crowd = CrowdPushes()
    crowd.saw("A", at: 10, on: 1, classes: [small])
    #expect(!crowd.hasMissed(widget(), on: .iOS))
    crowd.saw("A", at: 11, on: 1, classes: [small])
    #expect(!crowd.hasMissed(widget(), on: .iOS), "the same device twice")
    crowd.saw("A", at: 12, on: 2, classes: [small])
    #expect(crowd.hasMissed(widget(), on: .iOS))
    var shown = widget()
    shown.refresh(by: "A", boot: 13, wall: 0)
    #expect(!crowd.hasMissed(shown, on: .iOS))
  }

  @Test("Something newer will do, something older will not") func newer() {
    var crowd = CrowdPushes()
    for device in 1...2 { crowd.saw("A", at: 10, on: device, classes: [small]) }
    var newer = widget()
    newer.refresh(by: "B", boot: 20, wall: 0)
    #expect(!crowd.hasMissed(newer, on: .iOS))
    var older = widget()
    older.refresh(by: "Z", boot: 5, wall: 0)
    #expect(crowd.hasMissed(older, on: .iOS))
  }

  @Test("A push for some families or platforms passes the others by rightly, and so one before a widget was placed")
  func classes() {
    var crowd = CrowdPushes()
    for device in 1...2 { crowd.saw("A", at: 10, on: device, classes: [small]) }
    #expect(!crowd.hasMissed(widget("systemMedium"), on: .iOS))
    #expect(!crowd.hasMissed(widget(), on: .macOS))
    #expect(!crowd.hasMissed(widget(placed: 11), on: .iOS))
  }

  @Test("Of many single pushes the oldest are forgotten, and the newest for the crowd still counts") func many() {
    var crowd = CrowdPushes()
    for number in 0..<5000 { crowd.saw("\(number)", at: Int64(number), on: number, classes: [small]) }
    #expect(!crowd.hasMissed(widget(placed: -1), on: .iOS))
    for device in 1...2 { crowd.saw("all", at: 6000, on: device, classes: [small]) }
    #expect(crowd.hasMissed(widget(placed: -1), on: .iOS))
  }
}
