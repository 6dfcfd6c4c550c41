import GatewayIO
import TokenStore

/// What `gatewayctl simulate` plays.
struct SimulationPlan {
  struct Widget: Encodable, Hashable {
    let kind: String
    let family: String
  }

  let target: ServerTarget
  let enrolmentKey: String
  let bundleID: String
  let environment: GatewayEnvironment
  /// One for each device, in their order.
  let roles: [DeviceRole]
  /// At most; those that go and come or read slowly have one of their own.
  let devicesPerConnection: Int
  /// Milliseconds; nil: until interrupted.
  let duration: Int64?
  /// What devices do by chance follows from it.
  let seed: UInt64
  /// Device tokens follow from the seed; otherwise the gateway makes them.
  let choosesTokens: Bool
  /// Devices stay enrolled at the end.
  let keeps: Bool
  /// What lines call the devices; with a number where there are several.
  let name: String
  /// The app is on the screen.
  let isInForeground: Bool
  /// Its user has switched developer mode on.
  let switchesDeveloperModeOn: Bool
  /// Milliseconds from the first registration to the first stream.
  let away: Int64
  /// Milliseconds without a byte after which the gateway counts as dead.
  let silence: Int64
  /// Only the final report.
  let isQuiet: Bool
  let snapshot: SnapshotPlan?

  var devices: Int { roles.count }

  /// One device with a name of its own.
  var isOne: Bool { devices == 1 && name != Self.standardName }

  func label(of device: Int) -> String { isOne ? name : "\(name) \(device)" }

  func role(of device: Int) -> DeviceRole { roles[device - 1] }

  static let standardName = "device"

  /// 32 bytes in hex that only seed, device and installation decide. The first installation's is nil where the gateway
  /// makes tokens.
  func token(of device: Int, installation: Int) -> String? {
    guard choosesTokens || installation > 0 else { return nil }
    var generator = SeededGenerator(
      seed: seed &+ UInt64(device) &* 0x9E37_79B9_7F4A_7C15 &+ UInt64(installation) &* 0xD1B5_4A32_D192_ED03)
    return (0..<4).map { _ in
      let digits = String(generator.next(), radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }

  /// Families that the platform has, in turn; kinds tell the rounds apart.
  static func widgets(_ count: Int, platform: Platform, os: OSVersion) -> [Widget] {
    let families = WidgetFamily.allCases.filter { $0.isAvailable(on: platform, os: os) }
    guard !families.isEmpty else { return [] }
    return (0..<count).map { index in
      Widget(kind: "widget-\(index / families.count + 1)", family: families[index % families.count].rawValue)
    }
  }
}
