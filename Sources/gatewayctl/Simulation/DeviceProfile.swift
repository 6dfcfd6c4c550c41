/// How a simulated device behaves. Times are milliseconds and means: each one is drawn anew between half and one and a
/// half of it, so that devices do not march in step.
struct DeviceProfile: Equatable {
  var name: String
  /// How long it holds its stream before it goes, and how long it is gone; nil: it stays.
  var connected: Int64?
  var away: Int64 = 0
  /// It goes without a word, as when the network is lost; otherwise it closes its connection in order.
  var breaksOff = false
  /// How long it is awake before it sleeps, and how long it sleeps; nil: it never does.
  var awake: Int64?
  var asleep: Int64 = 0
  /// The share of receipts that it never sends, from 0 to 1.
  var losesReceipts: Double = 0
  /// How fast it reads its stream; nil: as fast as it comes.
  var bytesPerSecond: Int?
  /// How often the app is installed anew, which gives it another token; nil: never.
  var reinstalls: Int64?

  /// It keeps its connection and reads it at once, so that others can live on it too.
  var canShareConnection: Bool { connected == nil && bytesPerSecond == nil }

  static let steady = DeviceProfile(name: "steady")

  static let readyMade = [
    steady,
    DeviceProfile(name: "commuter", connected: 60_000, away: 20_000),
    DeviceProfile(name: "night", awake: 60_000, asleep: 60_000),
    DeviceProfile(name: "flaky", connected: 15_000, away: 1000, breaksOff: true, losesReceipts: 0.3),
    DeviceProfile(name: "slow", bytesPerSecond: 1),
    DeviceProfile(name: "reinstall", reinstalls: 30_000),
  ]
}
