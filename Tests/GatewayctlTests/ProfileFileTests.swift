import CommandLineInterface
import Testing
import TokenStore

@testable import gatewayctl

/// Protects profiles of simulated devices: what a file may say, and that no typo plays something else than was meant.
@Suite("Profiles of simulated devices") struct ProfileFileTests {
  private func read(_ text: String) throws -> [ProfileFile.Entry] {
    try ProfileFile(Array(text.utf8), path: "crowd.json").entries
  }

  @Test("A profile begins as the one that it is like, and says what is different") func like() throws {
    let entries = try read(
      """
      {"profiles":[
        {"name":"plain"},
        {"name":"lift","like":"commuter","share":3,"connected":"90s","breaks-off":true,"platform":"watchOS","os":"26.1",
         "widgets":4,"loses-receipts":0.25},
        {"name":"trickle","bytes-per-second":5,"awake":"2m","asleep":"1h","reinstalls":"500ms"}
      ]}
      """)
    #expect(entries[0] == ProfileFile.Entry(profile: DeviceProfile(name: "plain")))
    let lift = DeviceProfile(
      name: "lift", connected: 90_000, away: 20_000, breaksOff: true, losesReceipts: 0.25)
    #expect(entries[1] == ProfileFile.Entry(profile: lift, share: 3, platform: .watchOS, os: "26.1", widgets: 4))
    let trickle = DeviceProfile(
      name: "trickle", awake: 120_000, asleep: 3_600_000, bytesPerSecond: 5, reinstalls: 500)
    #expect(entries[2].profile == trickle)
  }

  @Test(
    "What is wrong is refused with its place",
    arguments: [
      ("{", "crowd.json is not JSON: "),
      ("[]", #"expected {"profiles":[…]}"#),
      (#"{"profiles":[]}"#, "at least one profile"),
      (#"{"profiles":[{}]}"#, #"profiles[0]: "name" is missing"#),
      (#"{"profiles":[{"name":"a"},{"name":"a"}]}"#, "comes twice"),
      (#"{"profiles":[{"name":"a","like":"stedy"}]}"#, "\"like\" takes one of steady, commuter, night, flaky"),
      (#"{"profiles":[{"name":"a","conected":"1s"}]}"#, "is not known; did you mean connected?"),
      (#"{"profiles":[{"name":"a","connected":"1s"}]}"#, "\"connected\" needs \"away\""),
      (#"{"profiles":[{"name":"a","awake":"1s"}]}"#, "\"awake\" needs \"asleep\""),
      (#"{"profiles":[{"name":"a","away":"1ms"}]}"#, "at least \"100ms\""),
      (#"{"profiles":[{"name":"a","share":0}]}"#, "a whole number from 1 to 1000000"),
      (#"{"profiles":[{"name":"a","loses-receipts":1.5}]}"#, "a number from 0 to 1"),
      (#"{"profiles":[{"name":"a","breaks-off":1}]}"#, "true or false"),
      (#"{"profiles":[{"name":"a","platform":"tvOS"}]}"#, "one of iOS, iPadOS"),
      (#"{"profiles":[{"name":"a","os":"26.x"}]}"#, "a version such as"),
      (#"{"profiles":[{"name":"a","widgets":65}]}"#, "a whole number from 0 to 64"),
    ]) func refused(text: String, expected: String) throws
  {
    let failure = #expect(throws: CommandFailure.self) { try read(text) }
    #expect(failure?.message.contains(expected) == true, "\(failure?.message ?? "")")
  }

  @Test("Devices are dealt out by weight, evenly from the first on") func dealt() {
    #expect(DeviceRole.deal(8, shares: [3, 1]) == [0, 0, 1, 0, 0, 0, 1, 0])
    #expect(DeviceRole.deal(3, shares: [1]) == [0, 0, 0])
    let many = DeviceRole.deal(10_000, shares: [70, 20, 10])
    #expect((0..<3).map { share in many.count { $0 == share } } == [7000, 2000, 1000])
    #expect((0..<3).map { share in many.prefix(10).count { $0 == share } } == [7, 2, 1])
  }

  @Test("Ready-made profiles have names of their own, and what comes and goes also comes back") func readyMade() {
    let names = DeviceProfile.readyMade.map(\.name)
    #expect(names == ["steady", "commuter", "night", "flaky", "slow", "reinstall"])
    for profile in DeviceProfile.readyMade {
      #expect(profile.connected == nil || profile.away > 0)
      #expect(profile.awake == nil || profile.asleep > 0)
    }
    #expect(DeviceProfile.readyMade.filter(\.canShareConnection).map(\.name) == ["steady", "night", "reinstall"])
  }
}
