import CommandLineInterface
import FoundationEssentials
import GatewayReports

/// Prints what happens in a simulation: a line for people, or a JSON object a line.
struct SimulationReport {
  /// More devices than this are not announced one by one.
  private static let namedDevices = 20

  let output: Output
  let isJSON: Bool
  let plan: SimulationPlan
  private var devices: Int { plan.devices }

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
    var refreshes: Int?
    var refreshedWidgets: Int?
    var duplicates: Int?
    var reconnects: Int?

    private enum CodingKeys: String, CodingKey {
      case event, time, name, device, id, token, widgets, reason, ready, refreshes, refreshedWidgets, duplicates,
        reconnects
      case apnsID = "apns-id"
    }
  }

  func away(_ device: SimulatedDevice, at time: ReportTime) {
    if isJSON { return show(line("away", device, at: time)) }
    guard devices <= Self.namedDevices else { return }
    let seconds = ReportText.duration(seconds: Int(plan.away / 1000))
    show(time, label(device), "registered, away for \(seconds), token \(device.token ?? "")")
  }

  func ready(_ device: SimulatedDevice, at time: ReportTime) {
    if isJSON {
      return show(line("ready", device, at: time))
    }
    guard devices <= Self.namedDevices else { return }
    show(time, label(device), "ready, token \(device.token ?? "")")
  }

  func allReady(at time: ReportTime) {
    // A device with a name of its own has said so itself.
    if !isJSON, plan.isOne { return }
    if isJSON { return show(Line(event: "all-ready", time: time.description, ready: devices)) }
    show(time, "all", "\(ReportText.count(devices, "device")) ready, waiting for refreshes (Ctrl-C ends)")
  }

  func refreshed(_ device: SimulatedDevice, _ refresh: Refresh, id: RefreshID, at time: ReportTime) {
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
    if isJSON {
      var line = line("broken", device, at: time)
      (line.id, line.token, line.reason) = (nil, nil, reason)
      return show(line)
    }
    output.error("\(clock(time))  \(label(device))  \(reason.printable); trying again")
  }

  func summary(_ totals: SimulationTotals, seconds: Int64) {
    if isJSON {
      return show(
        Line(
          event: "summary", ready: totals.ready, refreshes: totals.refreshes, refreshedWidgets: totals.widgets,
          duplicates: totals.duplicates, reconnects: totals.reconnects))
    }
    output.print(
      (plan.isOne ? plan.name + ": " : "")
        + "\(ReportText.count(totals.refreshes, "refresh")) of \(ReportText.count(totals.widgets, "widget")) on "
        + "\(totals.ready) of \(ReportText.count(devices, "device")) in \(seconds) s, "
        + "\(ReportText.count(totals.duplicates, "duplicate")), \(ReportText.count(totals.reconnects, "reconnect"))")
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
    output.print("\(output.style.dim(clock(time)))  \(device)\(padding)  \(text.printable)")
  }

  /// Time of day in UTC with milliseconds.
  private func clock(_ time: ReportTime) -> String { String(time.description.dropFirst(11).dropLast()) }

  private func show(_ line: Line) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    if let bytes = try? encoder.encode(line) { output.print(String(decoding: bytes, as: UTF8.self)) }
  }
}
