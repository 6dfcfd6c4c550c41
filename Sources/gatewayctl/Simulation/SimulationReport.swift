import CommandLineInterface
import Foundation
import GatewayReports

/// Prints what happens in a simulation: a line for people, or a JSON object a line.
struct SimulationReport {
  /// More devices than this are not announced one by one.
  private static let namedDevices = 20

  let output: Output
  let isJSON: Bool
  let devices: Int

  private struct Line: Encodable {
    var event: String
    var time: String?
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
      case event, time, device, id, token, widgets, reason, ready, refreshes, refreshedWidgets, duplicates, reconnects
      case apnsID = "apns-id"
    }
  }

  func ready(_ device: SimulatedDevice, at time: ReportTime) {
    if isJSON {
      return show(
        Line(event: "ready", time: time.description, device: device.number, id: device.id, token: device.token))
    }
    guard devices <= Self.namedDevices else { return }
    show(time, "device \(device.number)", "ready, token \(device.token ?? "")")
  }

  func allReady(at time: ReportTime) {
    if isJSON { return show(Line(event: "all-ready", time: time.description, ready: devices)) }
    show(time, "all", "\(ReportText.count(devices, "device")) ready, waiting for refreshes (Ctrl-C ends)")
  }

  func refreshed(_ device: SimulatedDevice, _ refresh: Refresh, id: RefreshID, at time: ReportTime) {
    let widgets = refresh.widgets.map { widget in
      "\(widget.kind)/\(widget.family)" + (widget.configuration.map { "(\($0))" } ?? "")
    }
    if isJSON {
      return show(
        Line(
          event: "refresh", time: time.description, device: device.number, id: id.description, token: device.token,
          apnsID: refresh.apnsID, widgets: widgets))
    }
    show(time, "device \(device.number)", "refresh \(widgets.joined(separator: " ")), apns-id \(refresh.apnsID)")
  }

  func broke(_ device: SimulatedDevice, _ reason: String, at time: ReportTime) {
    if isJSON {
      return show(Line(event: "broken", time: time.description, device: device.number, reason: reason))
    }
    output.error("\(clock(time))  device \(device.number)  \(reason.printable); trying again")
  }

  func summary(_ totals: SimulationTotals, seconds: Int64) {
    if isJSON {
      return show(
        Line(
          event: "summary", ready: totals.ready, refreshes: totals.refreshes, refreshedWidgets: totals.widgets,
          duplicates: totals.duplicates, reconnects: totals.reconnects))
    }
    output.print(
      "\(ReportText.count(totals.refreshes, "refresh")) of \(ReportText.count(totals.widgets, "widget")) on "
        + "\(totals.ready) of \(ReportText.count(devices, "device")) in \(seconds) s, "
        + "\(ReportText.count(totals.duplicates, "duplicate")), \(ReportText.count(totals.reconnects, "reconnect"))")
  }

  private func show(_ time: ReportTime, _ device: String, _ text: String) {
    let padding = String(repeating: " ", count: max(0, "device \(devices)".count - device.count))
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
