import CommandLineInterface
import GatewayIO
import GatewayReports

/// Plays many devices on one loop, and ends cleanly when its time is over or someone interrupts it.
final class Simulation: TimerHandler, SignalHandler {
  private enum Timer: UInt64 { case duration, farewell }

  /// Devices that connect, enrol and register at the same time: handshakes of a thousand at once would only make all of
  /// them late.
  private static let joiningAtOnce = 32
  /// Milliseconds that devices may take to leave.
  private static let farewell: Int64 = 5000

  private let plan: SimulationPlan
  private let loop: EventLoop
  private let report: SimulationReport
  private let output: Output
  private let pool = HTTP2StreamPool(keepsOtherFields: true, limit: 1024)
  private var devices: [Int: SimulatedDevice] = [:]
  private var everReady: Set<Int> = []
  private var joining: Set<Int> = []
  private var queue: [Int] = []
  private var totals = SimulationTotals()
  private var isEnding = false
  private var isDone = false
  private var failure: String?
  private var started: Int64 = 0

  init(plan: SimulationPlan, output: Output, isJSON: Bool) throws {
    self.plan = plan
    self.output = output
    loop = try EventLoop()
    report = SimulationReport(output: output, isJSON: isJSON, plan: plan)
  }

  /// Blocks until the end; TERM and INT must be blocked (``SignalSource/blockSignals()``).
  func run() throws -> SimulationTotals {
    let signals = try SignalSource(handler: self)
    let registration = try signals.start(on: loop)
    defer { loop.remove(registration) }
    started = loop.now.bootMilliseconds
    if let duration = plan.duration { loop.schedule(after: duration, self, token: Timer.duration.rawValue) }
    for number in 1...plan.devices {
      devices[number] = SimulatedDevice(number: number, plan: plan, loop: loop, pool: pool, simulation: self)
      queue.append(number)
    }
    startMore()
    while !isDone {
      loop.turn(waitingAtMost: 1000)
      if output.readerIsGone { end() }
    }
    report.summary(totals, seconds: (loop.now.bootMilliseconds - started) / 1000)
    if let failure { throw CommandFailure(failure) }
    return totals
  }

  private var now: ReportTime { ReportTime(milliseconds: loop.now.wallMilliseconds) }

  // MARK: What devices tell

  func wantsToStart(_ device: SimulatedDevice) {
    guard !isEnding else { return }
    queue.append(device.number)
    startMore()
  }

  func wentAway(_ device: SimulatedDevice) {
    joining.remove(device.number)
    report.away(device, at: now)
    startMore()
  }

  func becameReady(_ device: SimulatedDevice) {
    joining.remove(device.number)
    if everReady.insert(device.number).inserted {
      totals.ready += 1
      report.ready(device, at: now)
      if totals.ready == plan.devices { report.allReady(at: now) }
    } else {
      totals.reconnects += 1
    }
    startMore()
  }

  func refreshed(_ device: SimulatedDevice, _ refresh: Refresh, id: RefreshID) {
    totals.refreshes += 1
    totals.widgets += refresh.widgets.count
    report.refreshed(device, refresh, id: id, at: now)
  }

  func sawDuplicate() { totals.duplicates += 1 }

  func broke(_ device: SimulatedDevice, wasStreaming: Bool, _ reason: String) {
    joining.remove(device.number)
    guard !isEnding else { return }
    // Nobody has ever got in: the gateway is not there, or not the one we think.
    if everReady.isEmpty, device.id == nil, !wasStreaming {
      return failed(device, reason)
    }
    report.broke(device, reason, at: now)
    startMore()
  }

  /// Trying again would not help.
  func failed(_ device: SimulatedDevice, _ reason: String) {
    joining.remove(device.number)
    failure = failure ?? "\(plan.label(of: device.number)) at \(plan.target.name): \(reason)"
    end()
    left(device)
  }

  func left(_ device: SimulatedDevice) {
    devices[device.number] = nil
    if isEnding, devices.isEmpty { isDone = true }
  }

  // MARK: Beginning and ending

  private func startMore() {
    while !isEnding, joining.count < Self.joiningAtOnce, !queue.isEmpty {
      let number = queue.removeFirst()
      joining.insert(number)
      devices[number]?.start()
    }
  }

  /// A second interrupt does not wait for the devices to leave.
  func received(_ signal: ProcessSignal) {
    guard signal != .hangup else { return }
    if isEnding { isDone = true } else { end() }
  }

  func timerFired(_ token: UInt64) {
    switch Timer(rawValue: token) {
    case .duration: end()
    case .farewell: isDone = true
    case nil: break
    }
  }

  private func end() {
    guard !isEnding else { return }
    isEnding = true
    loop.schedule(after: Self.farewell, self, token: Timer.farewell.rawValue)
    for device in devices.values.sorted(by: { $0.number < $1.number }) { device.leave() }
    if devices.isEmpty { isDone = true }
  }
}
