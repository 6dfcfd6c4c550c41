import CommandLineInterface
import FoundationEssentials
import GatewayReports

/// Prints what happens in a simulation: a line for people, or a JSON object a line.
final class SimulationReport {
  /// More devices than this are not announced one by one.
  private static let namedDevices = 20
  /// Different reasons for broken streams that a crowd is told of.
  private static let toldReasons = 10

  private let output: Output
  private let isJSON: Bool
  private let plan: SimulationPlan
  private var told: Set<String> = []
  private var hasProgress = false
  private var lastRefreshes = 0
  private var devices: Int { plan.devices }
  private var isCrowd: Bool { devices > Self.namedDevices }

  init(output: Output, isJSON: Bool, plan: SimulationPlan) {
    self.output = output
    self.isJSON = isJSON
    self.plan = plan
  }

  private struct Line: Encodable {
    var event: String
    var time: String?
    var name: String?
    var device: Int?
    var id: String?
    var token: String?
    var apnsID: String?
    var widgets: [String]?
    var reason: String?
    var ready: Int?

    private enum CodingKeys: String, CodingKey {
      case event, time, name, device, id, token, widgets, reason, ready
      case apnsID = "apns-id"
    }
  }

  func away(_ device: SimulatedDevice, at time: ReportTime) {
    guard !plan.isQuiet else { return }
    if isJSON { return show(line("away", device, at: time)) }
    guard !isCrowd else { return }
    let seconds = ReportText.duration(seconds: Int(plan.away / 1000))
    show(time, label(device), "registered, away for \(seconds), token \(device.token ?? "")")
  }

  func ready(_ device: SimulatedDevice, at time: ReportTime) {
    guard !plan.isQuiet else { return }
    if isJSON { return show(line("ready", device, at: time)) }
    guard !isCrowd else { return }
    show(time, label(device), "ready, token \(device.token ?? "")")
  }

  func allReady(at time: ReportTime) {
    // A device with a name of its own has said so itself.
    guard !plan.isQuiet else { return }
    if !isJSON, plan.isOne { return }
    if isJSON { return show(Line(event: "all-ready", time: time.description, ready: devices)) }
    show(time, "all", "\(ReportText.count(devices, "device")) ready, waiting for refreshes (Ctrl-C ends)")
  }

  func refreshed(_ device: SimulatedDevice, _ refresh: Refresh, id: RefreshID, at time: ReportTime) {
    // Of a crowd the progress line tells; its refreshes one by one are for programs.
    guard !plan.isQuiet, isJSON || !isCrowd else { return }
    let widgets = refresh.widgets.map { widget in
      "\(widget.kind)/\(widget.family)" + (widget.configuration.map { "(\($0))" } ?? "")
    }
    if isJSON {
      var line = line("refresh", device, at: time)
      (line.id, line.apnsID, line.widgets) = (id.description, refresh.apnsID, widgets)
      return show(line)
    }
    show(time, label(device), "refresh \(widgets.joined(separator: " ")), apns-id \(refresh.apnsID)")
  }

  func broke(_ device: SimulatedDevice, _ reason: String, at time: ReportTime) {
    guard !plan.isQuiet else { return }
    if isJSON {
      var line = line("broken", device, at: time)
      (line.id, line.token, line.reason) = (nil, nil, reason)
      return show(line)
    }
    guard !isCrowd || (told.count < Self.toldReasons && told.insert(reason).inserted) else { return }
    endProgress()
    output.error("\(clock(time))  \(label(device))  \(reason.printable); trying again")
  }

  /// Said once, since it goes on until all are in.
  func heldBack(at time: ReportTime) {
    guard !plan.isQuiet, !isJSON else { return }
    endProgress()
    output.error("\(clock(time))  the enrolment key lets no more in for now ([[enrolment]] per-minute): waiting for it")
  }

  // MARK: A crowd

  /// Programs get events; people who watch a crowd get a line that says how it is.
  var showsProgress: Bool { isCrowd && (output.isErrorWatched || !isJSON && !plan.isQuiet) }

  /// Milliseconds.
  var progressInterval: Int64 { output.isErrorWatched ? 1000 : 10_000 }

  func progress(_ totals: SimulationTotals, seconds: Int64) {
    hasProgress = true
    let rate = Int64(totals.refreshes - lastRefreshes) * 1000 / progressInterval
    lastRefreshes = totals.refreshes
    var text = "\(seconds) s  \(totals.connected) of \(devices) connected"
    if totals.ready < devices { text += " (\(totals.ready) have been)" }
    text += ", \(ReportText.count(totals.refreshes, "refresh")) (\(rate)/s)"
    text += ", \(ReportText.count(totals.duplicates, "duplicate"))"
    if let latency = totals.latency.percentile(0.99) { text += ", p99 \(latency / 1000) ms" }
    output.progress(text)
  }

  func leaving(_ count: Int) {
    guard showsProgress else { return }
    output.progress("\(ReportText.count(count, "device")) leaving")
    hasProgress = true
  }

  private func endProgress() {
    if hasProgress { output.endProgress() }
    hasProgress = false
  }

  func summary(_ summary: SimulationSummary) {
    endProgress()
    if isJSON { return show(summary) }
    output.print(
      (plan.isOne ? plan.name + ": " : "")
        + "\(ReportText.count(summary.refreshes, "refresh")) of "
        + "\(ReportText.count(summary.refreshedWidgets, "widget")) on \(summary.ready) of "
        + "\(ReportText.count(devices, "device")) in \(Int(summary.seconds)) s, "
        + "\(ReportText.count(summary.duplicates, "duplicate")), \(ReportText.count(summary.reconnects, "reconnect"))")
    if summary.heldBackSeconds > 0, let ready = summary.readySeconds {
      output.print(
        "All were there after \(Int(ready)) s, \(Int(summary.heldBackSeconds)) s of which the enrolment key's limits took"
      )
    }
    let tables = SimulationTables.text(summary, style: output.style)
    if !tables.isEmpty { output.print("\n" + tables) }
  }

  private func label(_ device: SimulatedDevice) -> String { plan.label(of: device.number) }

  private func line(_ event: String, _ device: SimulatedDevice, at time: ReportTime) -> Line {
    Line(
      event: event, time: time.description, name: plan.name == SimulationPlan.standardName ? nil : plan.name,
      device: device.number, id: device.id, token: device.token)
  }

  private func show(_ time: ReportTime, _ device: String, _ text: String) {
    // At least as wide as "device 1", so that simulations with short names share a terminal well.
    let padding = String(repeating: " ", count: max(0, max(8, plan.label(of: devices).count) - device.count))
    endProgress()
    output.print("\(output.style.dim(clock(time)))  \(device)\(padding)  \(text.printable)")
  }

  /// Time of day in UTC with milliseconds.
  private func clock(_ time: ReportTime) -> String { String(time.description.dropFirst(11).dropLast()) }

  private func show(_ line: some Encodable) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    if let bytes = try? encoder.encode(line) { output.print(String(decoding: bytes, as: UTF8.self)) }
  }
}
