import CommandLineInterface
import GatewayReports

/// `gatewayctl status`
enum StatusCommand {
  static let command = Command(
    "status", summary: "Shows how the gateway is.",
    discussion: "Exits with 1 when the gateway is not ready to take pushes.",
    examples: [.init("gatewayctl status --config gatewayd.toml", "a gateway started with this configuration")]
  ) { invocation in
    let answer: AdminClient.Answer<GatewayStatus> = try invocation.admin().get(["status"])
    invocation.show(answer) { text(of: $0, style: invocation.output.style) }
    return answer.report.readiness.ready ? .success : .failure
  }

  static func text(of status: GatewayStatus, style: Style) -> String {
    var list = FieldList()
    let readiness = status.readiness.ready ? "ready" : "not ready: \(status.readiness.why ?? "no reason given")"
    list.add("gatewayd", "\(status.version), \(readiness)")
    let uptime = ReportText.duration(seconds: status.uptimeSeconds)
    list.add("started", "\(ReportText.time(status.started)), \(uptime) ago")
    for listener in status.listeners {
      list.add(
        "listens",
        "\(listener.address) ("
          + [listener.role.rawValue, listener.environment ?? ""]
          .filter { !$0.isEmpty }.joined(separator: ", ") + ")")
    }
    list.add("connections", "\(status.connections.provider) provider, \(status.connections.device) device")
    list.add("devices", "\(status.devices), \(status.connectedDevices) connected")
    list.add("registrations", "\(status.registrations) with \(status.widgets) widgets")
    list.add("widgets", "\(status.waitingWidgets) waiting, \(status.inFlightWidgets) in flight")
    list.add("pushes", "\(status.pushes.accepted) accepted, \(status.pushes.refused) refused")
    let store = status.store
    list.add(
      "store",
      "epoch \(store.epoch), journal \(store.journalEntries) entries (\(store.journalBytes) bytes), "
        + "\(store.pendingEntries) pending")
    list.add("store fails", store.failing)
    if let reload = status.lastReload {
      let problems =
        reload.succeeded ? "succeeded" : "FAILED, nothing was changed: " + reload.problems.joined(separator: "; ")
      list.add("last reload", "\(ReportText.time(reload.time)), \(problems)")
    }
    list.add("developer mode", "\(status.developerModeGrants) active")
    return list.text(style: style)
  }
}
