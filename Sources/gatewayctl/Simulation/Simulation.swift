import CommandLineInterface
import GatewayIO
import GatewayReports

/// Plays many devices on one loop, and ends cleanly when its time is over or someone interrupts it.
final class Simulation: TimerHandler, SignalHandler {
  private enum Timer: UInt64 { case duration, farewell, heldBack, progress, snapshot }

  /// Devices that connect, enrol and register at the same time: handshakes of a thousand at once would only make all of
  /// them late.
  private static let joiningAtOnce = 32
  /// Milliseconds that devices may take to leave, and more for each of them.
  private static let farewell: Int64 = 5000
  private static let farewellEach: Int64 = 3

  private let plan: SimulationPlan
  private let loop: EventLoop
  private let report: SimulationReport
  private let output: Output
  private let pool = HTTP2StreamPool(limit: 1024)
  private var devices: [Int: SimulatedDevice] = [:]
  private var lines: [Int: DeviceLine] = [:]
  private var everReady: Set<Int> = []
  private var joining: Set<Int> = []
  private var queue: [Int] = []
  private var nextInQueue = 0
  private var isHeldBack = false
  /// Milliseconds.
  private var heldBack: Int64 = 0
  private var readyAfter: Int64?
  private var isSeedTaken = false
  private var totals: [String: SimulationTotals] = [:]
  private var tallied: Set<Int> = []
  private var rows = WidgetRows()
  private var crowd = CrowdPushes()
  private var snapshot: SnapshotWriter?
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
  func run() throws -> SimulationSummary {
    let signals = try SignalSource(handler: self)
    let registration = try signals.start(on: loop)
    defer { loop.remove(registration) }
    started = loop.now.bootMilliseconds
    if let duration = plan.duration { loop.schedule(after: duration, self, token: Timer.duration.rawValue) }
    for number in 1...plan.devices {
      totals[plan.role(of: number).profile.name, default: SimulationTotals()].devices += 1
      devices[number] = SimulatedDevice(number: number, plan: plan, loop: loop, simulation: self)
      queue.append(number)
    }
    if report.showsProgress { schedule(.progress, after: report.progressInterval) }
    if let plan = plan.snapshot, let device = devices[plan.device] {
      snapshot = SnapshotWriter(plan: plan, device: device)
      schedule(.snapshot, after: SnapshotWriter.interval)
    }
    startMore()
    while !isDone {
      loop.turn(waitingAtMost: 1000)
      if output.readerIsGone { end() }
    }
    for device in devices.values.sorted(by: { $0.number < $1.number }) {
      tally(device, wasStreaming: device.state == .streaming)
    }
    let summary = SimulationSummary(
      plan: plan, totals: totals, rows: rows, seconds: Double(loop.now.bootMilliseconds - started) / 1000,
      readyAfter: readyAfter.map { Double($0) / 1000 }, heldBack: Double(heldBack) / 1000)
    report.summary(summary)
    if let failure { throw CommandFailure(failure) }
    if let failure = snapshot?.failure { throw CommandFailure(failure) }
    return summary
  }

  private var now: ReportTime { ReportTime(milliseconds: loop.now.wallMilliseconds) }

  private func schedule(_ timer: Timer, after milliseconds: Int64) {
    loop.schedule(after: milliseconds, self, token: timer.rawValue)
  }

  private func count(_ device: SimulatedDevice, _ change: (inout SimulationTotals) -> Void) {
    change(&totals[device.role.profile.name, default: SimulationTotals()])
  }

  /// The connection that a device is to use: its own, or one that it shares with its neighbours.
  func line(for device: SimulatedDevice) throws -> DeviceLine {
    let isShared = plan.devicesPerConnection > 1 && device.role.profile.canShareConnection
    let group = (device.number - 1) / plan.devicesPerConnection
    if isShared, let line = lines[group], line.isOpen {
      line.join(device)
      return line
    }
    let pace = device.role.profile.bytesPerSecond.map { ClientReadingPace.bytesPerSecond($0) } ?? .atOnce
    let line = DeviceLine(try plan.target.connection(on: loop, pool: pool, pace: pace))
    if isShared { lines[group] = line }
    line.join(device)
    return line
  }

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
    count(device) { $0.connected += 1 }
    if everReady.insert(device.number).inserted {
      count(device) { $0.ready += 1 }
      report.ready(device, at: now)
      if everReady.count == plan.devices {
        readyAfter = loop.now.bootMilliseconds - started
        report.allReady(at: now)
      }
    } else {
      count(device) { $0.reconnects += 1 }
    }
    startMore()
  }

  func refreshed(_ device: SimulatedDevice, _ refresh: Refresh, id: RefreshID) {
    let classes = refresh.widgets.map {
      CrowdPushes.WidgetClass(platform: device.role.platform, kind: $0.kind, family: $0.family)
    }
    crowd.saw(refresh.apnsID, at: loop.now.bootNanoseconds, on: device.number, classes: classes)
    count(device) { totals in
      totals.refreshes += 1
      totals.widgets += refresh.widgets.count
      if let sent = refresh.payload?.sent {
        // What the turn's clock says is older than the event by what came before it in the turn.
        let latency = Double(LoopClock.read().wallMilliseconds) - sent
        if latency >= 0, latency < 1e12 { totals.latency.add(UInt64(latency * 1000)) }
      }
    }
    report.refreshed(device, refresh, id: id, at: now)
  }

  func foundSeedTaken() {
    guard !isSeedTaken else { return }
    isSeedTaken = true
    output.error("the gateway knows the tokens of seed \(plan.seed) from an earlier run, and makes others")
  }

  func sawDuplicate(_ device: SimulatedDevice, isExplained: Bool) {
    count(device) { totals in
      totals.duplicates += 1
      if !isExplained { totals.unexplained += 1 }
    }
  }

  func lostReceipt(_ device: SimulatedDevice) { count(device) { $0.lostReceipts += 1 } }

  func reinstalled(_ device: SimulatedDevice) { count(device) { $0.reinstallations += 1 } }

  func broke(_ device: SimulatedDevice, wasStreaming: Bool, _ reason: String) {
    joining.remove(device.number)
    if wasStreaming { count(device) { $0.connected -= 1 } }
    guard !isEnding else { return }
    // Nobody has ever got in: the gateway is not there, or not the one we think.
    if everReady.isEmpty, device.id == nil, !wasStreaming, !isHeldBack {
      return failed(device, reason)
    }
    report.broke(device, reason, at: now)
    startMore()
  }

  /// It went of its own will.
  func disconnected(_ device: SimulatedDevice) { count(device) { $0.connected -= 1 } }

  /// The gateway takes no more enrolments for a while.
  func holdBack(for milliseconds: Int64) {
    guard !isHeldBack else { return }
    isHeldBack = true
    if heldBack == 0 { report.heldBack(at: now) }
    heldBack += milliseconds
    schedule(.heldBack, after: max(1, milliseconds))
  }

  /// Trying again would not help.
  func failed(_ device: SimulatedDevice, _ reason: String) {
    joining.remove(device.number)
    failure = failure ?? "\(plan.label(of: device.number)) at \(plan.target.name): \(reason)"
    end()
    left(device)
  }

  /// Whether a push for the crowd passed one of its widgets by.
  func hasMissed(_ device: SimulatedDevice) -> Bool {
    device.widgets.contains { crowd.hasMissed($0, on: device.role.platform) }
  }

  /// Counts what stands on a device's screen at the end; once.
  func tally(_ device: SimulatedDevice, wasStreaming: Bool) {
    guard tallied.insert(device.number).inserted else { return }
    if plan.snapshot?.device == device.number { snapshot?.write(at: loop.now.wallMilliseconds) }
    for widget in device.widgets {
      rows.add(widget, platform: device.role.platform)
      count(device) { totals in
        totals.gaps.add(widget.gaps)
        guard crowd.hasMissed(widget, on: device.role.platform) else { return }
        if !wasStreaming {
          totals.behind.away += 1
        } else if device.role.profile.bytesPerSecond != nil {
          totals.behind.unread += 1
        } else if widget.remaining == 0 {
          totals.behind.budget += 1
        } else {
          totals.behind.missed += 1
        }
      }
    }
  }

  func left(_ device: SimulatedDevice) {
    devices[device.number] = nil
    if isEnding, devices.isEmpty { isDone = true }
  }

  // MARK: Beginning and ending

  private func startMore() {
    while !isEnding, !isHeldBack, joining.count < Self.joiningAtOnce, nextInQueue < queue.count {
      let number = queue[nextInQueue]
      nextInQueue += 1
      joining.insert(number)
      devices[number]?.start()
    }
    if nextInQueue == queue.count {
      queue.removeAll(keepingCapacity: true)
      nextInQueue = 0
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
    case .heldBack:
      isHeldBack = false
      startMore()
    case .progress:
      guard !isEnding else { return }
      var all = SimulationTotals()
      for totals in totals.values { all.add(totals) }
      report.progress(all, seconds: (loop.now.bootMilliseconds - started) / 1000)
      schedule(.progress, after: report.progressInterval)
    case .snapshot:
      guard !isEnding, let snapshot else { return }
      snapshot.look { [self] in snapshot.write(at: loop.now.wallMilliseconds) }
      schedule(.snapshot, after: SnapshotWriter.interval)
    case nil: break
    }
  }

  private func end() {
    guard !isEnding else { return }
    isEnding = true
    schedule(.farewell, after: Self.farewell + Self.farewellEach * Int64(plan.devices))
    report.leaving(devices.count)
    for device in devices.values.sorted(by: { $0.number < $1.number }) { device.leave() }
    if devices.isEmpty { isDone = true }
  }
}
