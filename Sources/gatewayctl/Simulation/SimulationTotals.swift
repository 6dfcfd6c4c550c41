/// What was counted, of one profile or of all.
struct SimulationTotals {
  /// Widgets that a push for the crowd did not reach by the end, by the reason why not.
  struct Behind: Equatable, Encodable {
    /// No reason: a fault.
    var missed = 0
    /// Their budget is spent; they are refreshed later.
    var budget = 0
    /// Their device holds no stream.
    var away = 0
    /// Their device reads slowly, and has not read so far.
    var unread = 0
  }

  var devices = 0
  /// Devices that have held a stream.
  var ready = 0
  /// Devices that hold one.
  var connected = 0
  var refreshes = 0
  var widgets = 0
  var duplicates = 0
  /// Of the duplicates, those whose receipt the gateway had answered.
  var unexplained = 0
  var lostReceipts = 0
  var reconnects = 0
  var reinstallations = 0
  var behind = Behind()
  /// Microseconds from a push's `sent` to its refresh.
  var latency = Distribution()
  /// Milliseconds between two refreshes of one widget.
  var gaps = Distribution()

  mutating func add(_ other: SimulationTotals) {
    devices += other.devices
    ready += other.ready
    connected += other.connected
    refreshes += other.refreshes
    widgets += other.widgets
    duplicates += other.duplicates
    unexplained += other.unexplained
    lostReceipts += other.lostReceipts
    reconnects += other.reconnects
    reinstallations += other.reinstallations
    behind.missed += other.behind.missed
    behind.budget += other.behind.budget
    behind.away += other.behind.away
    behind.unread += other.behind.unread
    latency.add(other.latency)
    gaps.add(other.gaps)
  }
}
